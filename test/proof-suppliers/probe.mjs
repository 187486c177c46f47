// Loaded into the gateway before its own code: on SIGUSR2 it says what the process still holds once garbage is collected.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
let listenerWarnings = 0;
let count = 0;

process.on('warning', ({ name }) => {
  if (name === 'MaxListenersExceededWarning') listenerWarnings += 1;
});
process.on('SIGUSR2', () => {
  collect();
  collect();
  const kinds = process.getActiveResourcesInfo();
  const held = (...names) => kinds.filter((kind) => names.includes(kind)).length;
  const facts = {
    heapBytes: process.memoryUsage().heapUsed,
    sockets: held('TCPSocketWrap', 'TCPWRAP'),
    timers: held('Timeout'),
    listenerWarnings,
  };
  count += 1;
  process.stdout.write(`\nPROBE ${count} ${JSON.stringify(facts)} END\n`);
});
