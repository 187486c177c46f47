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
  console.error(process.env.LOG_LEVEL === 'debug' ? inSource(error) : `Forecourt cannot start: ${messageOf(error)}`);
  process.exit(1);
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return (error instanceof Error ? error.message : String(error)) + cause;
}
