// Import this first to run TypeScript of test/ without jest. test/support stops its child processes after a spec file;
// here that is the end of the process.
import '../../scripts/typescript.mjs';

globalThis.afterAll = (clean) => process.once('exit', clean);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
