import { inSource, nameSourceLines } from './config/source-lines.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(
    `Forecourt needs Node 24.9 or newer; this is ${process.versions.node}. "npm start" uses the Node that "npm ci" installs beside it.`,
  );
  process.exit(1);
}

nameSourceLines();

// Files and folders that this process creates are for its user only.
process.umask(0o077);

// Only now: on an older Node the modules themselves would not load.
const { launch } = await import('./launch.js');
try {
  await launch(process.env);
} catch (error) {
  const { printable } = await import('./config/plain-error.js');
  const failed = printable(error);
  console.error(process.env.LOG_LEVEL === 'debug' ? inSource(failed) : `Forecourt cannot start: ${messageOf(failed)}`);
  process.exit(1);
}

function messageOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
