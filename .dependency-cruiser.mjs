/** Who may import whom (docs/architecture.md). No exceptions list: a new arrow is a decision. */
const room = (name) => `^src/${name}/`;
const only = (from, ...to) => ({
  name: `${from}-imports`,
  severity: 'error',
  from: { path: room(from), pathNot: '\\.spec\\.ts$|\\.contract\\.ts$' },
  to: { path: '^src/', pathNot: [from, ...to].map(room) },
});

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.spec\\.ts$', '\\.d\\.ts$', '^src/main\\.ts$'] },
      to: {},
    },
    only('status'),
    only('config'),
    only('places'),
    only('metrics'),
    only('store', 'config'),
    only('database', 'config', 'metrics'),
    only('http', 'status', 'config', 'metrics', 'places'),
    only('products', 'store', 'database', 'http', 'status', 'config'),
    only('auth', 'products', 'store', 'database', 'http', 'status', 'config'),
    only('throttling', 'auth', 'products', 'store', 'database', 'http', 'status', 'config'),
    only('suppliers', 'status', 'config', 'places', 'metrics'),
    only('locations', 'suppliers', 'auth', 'http', 'status', 'config', 'places'),
    only('offers', 'suppliers', 'http', 'status', 'config', 'places'),
    only('catalog', 'offers', 'suppliers', 'auth', 'http', 'status', 'config', 'places'),
    only('reservations', 'offers', 'suppliers', 'auth', 'database', 'metrics', 'http', 'status', 'config', 'places'),
    {
      name: 'adapters-know-only-the-port',
      severity: 'error',
      from: { path: '^src/suppliers/adapters/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: ['^src/suppliers/adapters/$1/', '^src/suppliers/(models|booking-models|supplier|money|acriss)\\.ts$'] },
    },
    {
      name: 'adapters-know-no-framework',
      severity: 'error',
      from: { path: '^src/suppliers/adapters/' },
      to: { path: 'node_modules/(@nestjs|ioredis|pg|undici|fastify)/' },
    },
    {
      name: 'features-do-not-know-adapters-or-simulators',
      severity: 'error',
      from: { path: '^src/(locations|catalog|offers|reservations)/' },
      to: { path: '^src/suppliers/(adapters|simulators)/' },
    },
    {
      name: 'simulators-stay-out-of-the-request-path',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/suppliers/(simulators|contract-kit)/', '^src/(boot|simulators|cli/sim-serve)\\.ts$', '\\.spec\\.ts$'],
      },
      to: { path: '^src/suppliers/simulators/' },
    },
    {
      name: 'contract-kit-judges-from-outside',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/suppliers/contract-kit/', '^src/cli/', '\\.spec\\.ts$'] },
      to: { path: '^src/suppliers/contract-kit/' },
    },
    { name: 'not-to-specs', severity: 'error', from: { pathNot: '\\.spec\\.ts$' }, to: { path: '\\.spec\\.ts$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
