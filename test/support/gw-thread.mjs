// The thread of gwInThread (gw.ts): runs the built command line once per message, `{ words, env }`, and answers with
// what a process would leave: `{ status, stdout, stderr }`. Only gw.js itself is evaluated again for each command; the
// modules that it loads stay.
import { pathToFileURL } from 'node:url';
import { workerData } from 'node:worker_threads';

const { file, port, answered } = workerData;

/** Thrown where gw.js would end the process. */
class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}
process.exit = (code) => {
  throw new Exit(code ?? 0);
};
// A thread can't change the umask; specs about the files that commands write run processes.
process.umask = () => 0o077;

let runs = 0;
port.on('message', async ({ words, env }) => {
  port.postMessage(await run(words, env));
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
});

async function run(words, env) {
  process.argv.splice(2, process.argv.length, ...words);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = undefined;
  const stdout = kept(process.stdout);
  const stderr = kept(process.stderr);
  const status = await statusOf(`${pathToFileURL(file)}?run=${runs++}`);
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  process.removeAllListeners('uncaughtExceptionMonitor');
  return { status, stdout: stdout.join(''), stderr: stderr.join('') };
}

async function statusOf(url) {
  try {
    await import(url);
    return process.exitCode ?? 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    console.error(error);
    return 1;
  }
}

/** What is written to the stream from now on. */
function kept(stream) {
  const texts = [];
  stream.write = (text, ...more) => {
    texts.push(String(text));
    more.find((one) => typeof one === 'function')?.();
    return true;
  };
  return texts;
}
