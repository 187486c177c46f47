import '../support/outside-jest.mjs';

await import('./mutants-main.ts');
