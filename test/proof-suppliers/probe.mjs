// Loaded into a process before its own code: on SIGUSR2 it reports what the process still holds after garbage
// collection.
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const unused = setTimeout(() => undefined, 0);
const { constructor: Timeout } = unused;
clearTimeout(unused);
let listenerWarnings = 0;
let count = 0;

process.on('warning', ({ name }) => {
  if (name === 'MaxListenersExceededWarning') listenerWarnings += 1;
});
process.on('SIGUSR2', () => {
  collect();
  collect();
  const facts = {
    heapBytes: process.memoryUsage().heapUsed,
    sockets: process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap' || kind === 'TCPWRAP').length,
    // Includes those that do not keep the process alive, which getActiveResourcesInfo leaves out.
    timers: queryObjects(Timeout, { format: 'count' }),
    listenerWarnings,
  };
  count += 1;
  process.stdout.write(`\nPROBE ${count} ${JSON.stringify(facts)} END ${count}\n`);
});
