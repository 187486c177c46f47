import '../support/outside-jest.mjs';

await import('./main.ts');
