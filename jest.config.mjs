/**
 * Three projects: `unit` (specs beside the source), `e2e` (real processes and sockets, a browser) and `timing` (end-to-end tests that hold
 * something to a time or load the machine: they run alone). ESM through @swc/jest.
 */
const TIMING = [
  'accounts-limits',
  'accounts-sessions',
  'booking-proof',
  'lifecycle',
  'limits',
  'locations',
  'oauth',
  'readme',
  'records',
  'redis-cluster',
  'redis-store',
  'reservation-database',
  'reservation-input',
  'reservation-outcomes',
  'reservations',
  'slowloris',
  'supplier-faults',
  'two-gateways',
  'vehicles',
];
const timing = `/test/e2e/(${TIMING.join('|')})\\.spec\\.ts$`;

const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)(?<!\\.json)\\.js$': '$1' },
  setupFiles: ['<rootDir>/test/support/nest-first.mjs'],
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true, tsx: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            react: { runtime: 'automatic', importSource: 'preact' },
          },
          keepClassNames: true,
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
export default {
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/{e2e,browser}/**/*.spec.ts'],
      testPathIgnorePatterns: [timing],
    },
    { ...common, displayName: 'timing', testRegex: [timing] },
  ],
};
