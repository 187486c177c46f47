/** Who may import whom (docs/architecture.md). There is no exceptions list: a new arrow is a decision. */
const room = (name) => `^src/${name}/`;
const NOT_SPECS = '\\.spec\\.tsx?$|\\.contract\\.ts$|/fixtures/';
const only = (from, ...to) => ({
  name: `${from}-imports`,
  severity: 'error',
  from: { path: room(from), pathNot: NOT_SPECS },
  to: { path: '^src/', pathNot: [from, ...to].map(room) },
});

/** What every feature may use: the way in, what goes on the wire, the engine, the model, and the leaves. */
const FEATURE = [
  'auth',
  'currencies',
  'http',
  'representations',
  'suppliers',
  'context',
  'sandbox',
  'model',
  'privacy',
  'status',
  'config',
  'places',
  'metrics',
];

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.spec\\.tsx?$', '\\.d\\.ts$', '^src/main\\.ts$', '^src/portal/assets/'] },
      to: {},
    },
    // Leaves.
    only('status'),
    only('privacy'),
    only('config', 'privacy'),
    only('places'),
    only('metrics'),
    only('tracing', 'metrics', 'privacy', 'config'),
    // The model, and the dialects that only know the model.
    only('model'),
    only('adapters', 'model', 'places'),
    // One port each.
    only('store', 'config'),
    only('database', 'config', 'metrics', 'privacy'),
    // The sandbox, the context of a request, the engine, and what goes on the wire.
    only('sandbox', 'status'),
    only('context', 'sandbox', 'store', 'tracing', 'metrics'),
    only(
      'suppliers',
      'adapters',
      'model',
      'context',
      'sandbox',
      'store',
      'tracing',
      'privacy',
      'status',
      'config',
      'metrics',
    ),
    only('currencies', 'suppliers', 'model', 'config', 'metrics'),
    only('supplier-states', 'suppliers', 'database', 'config'),
    only('representations', 'suppliers', 'sandbox', 'model', 'places', 'status', 'config'),
    // The way in.
    only('http', 'context', 'tracing', 'privacy', 'status', 'config', 'metrics', 'places'),
    only('products', 'store', 'database', 'http', 'status', 'config'),
    only('auth', 'products', 'store', 'database', 'http', 'context', 'privacy', 'status', 'config'),
    only('throttling', 'auth', 'products', 'store', 'database', 'http', 'status', 'config'),
    // Features: one each, never each other, adapters or simulators.
    only('locations', ...FEATURE),
    only('offers', ...FEATURE),
    only('catalog', 'offers', ...FEATURE),
    only('reservations', 'offers', 'store', 'database', ...FEATURE),
    // The platform around them.
    only('mail', 'database', 'metrics', 'config'),
    only('accounts', 'mail', 'store', 'database', 'config'),
    only('alerts', 'suppliers', 'mail', 'database', 'metrics', 'privacy', 'config'),
    only('records', 'database', 'http', 'metrics', 'privacy', 'config'),
    only('incidents', 'system', 'suppliers', 'supplier-states', 'database', 'metrics', 'config'),
    only(
      'portal',
      'accounts',
      'incidents',
      'mail',
      'records',
      'auth',
      'products',
      'system',
      'suppliers',
      'sandbox',
      'store',
      'database',
      'http',
      'privacy',
      'status',
      'config',
    ),
    only(
      'system',
      'auth',
      'catalog',
      'config',
      'database',
      'http',
      'locations',
      'metrics',
      'offers',
      'products',
      'records',
      'representations',
      'reservations',
      'status',
      'store',
      'suppliers',
    ),
    // Playing suppliers, and judging adapters.
    only('simulators', 'sandbox', 'model', 'places', 'config'),
    only('contract-kit', 'simulators', 'suppliers', 'adapters', 'model', 'context', 'config', 'places'),
    {
      name: 'cli-imports',
      severity: 'error',
      from: { path: room('cli'), pathNot: NOT_SPECS },
      to: { path: '^src/(portal/(?!applications/)|server|main|app\\.module)' },
    },
    {
      name: 'nothing-imports-portal-or-cli',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(portal|cli)/', '^src/(app\\.module|server)\\.ts$', NOT_SPECS] },
      to: { path: '^src/(portal|cli)/' },
    },
    {
      name: 'root-files-are-imported-by-root-files',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: ['^src/cli/', NOT_SPECS] },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      // `xml` isn't an adapter, but what several adapters need to read and write XML.
      name: 'adapters-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/adapters/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: ['^src/adapters/(xml|$1)/', '^src/model/', '^src/places/zone-clock\\.ts$'] },
    },
    {
      name: 'adapters-know-no-framework',
      severity: 'error',
      from: { path: '^src/adapters/' },
      to: { path: 'node_modules/(@nestjs|ioredis|pg|undici|fastify)/' },
    },
    {
      name: 'simulators-stay-out-of-the-request-path',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/(simulators|contract-kit)/', '^src/(boot|simulators|cli/sim-serve)\\.ts$', NOT_SPECS],
      },
      to: { path: '^src/simulators/' },
    },
    {
      name: 'contract-kit-judges-from-outside',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/contract-kit/', '^src/cli/', '\\.spec\\.ts$'] },
      to: { path: '^src/contract-kit/' },
    },
    { name: 'not-to-specs', severity: 'error', from: { pathNot: '\\.spec\\.tsx?$' }, to: { path: '\\.spec\\.tsx?$' } },
    { name: 'not-to-test-code', severity: 'error', from: { pathNot: NOT_SPECS }, to: { path: NOT_SPECS } },
    {
      name: 'not-to-development-dependencies',
      severity: 'error',
      from: { pathNot: NOT_SPECS },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
