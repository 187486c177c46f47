/**
 * Four projects: `unit` (specs beside the source), `e2e` (real processes and sockets, a browser), `paced` (end-to-end tests with times that a busy machine
 * would break: two at a time) and `timing` (those that load the machine, or hold something to milliseconds: they run alone). ESM through @swc/jest.
 */
const PACED = [
  'accounts-sessions',
  'lifecycle',
  'locations',
  'oauth',
  'readme',
  'redis-cluster',
  'redis-store',
  'reservation-database',
  'reservation-input',
  'reservation-outcomes',
  'reservations',
  'two-gateways',
  'vehicles',
];
const TIMING = [
  'accounts-limits',
  'booking-proof',
  'contract-kit',
  'limits',
  'records',
  'resilience',
  'slowloris',
  'supplier-faults',
  'supplier-proof',
];
const among = (names) => `/test/e2e/(${names.join('|')})\\.spec\\.ts$`;

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
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/rules/**/*.spec.ts'] },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/{e2e,browser}/**/*.spec.ts'],
      testPathIgnorePatterns: [among([...PACED, ...TIMING])],
    },
    { ...common, displayName: 'paced', testRegex: [among(PACED)] },
    { ...common, displayName: 'timing', testRegex: [among(TIMING)] },
  ],
};
