/**
 * The processor time that this thread has used so far, in milliseconds. Unlike a clock, it doesn't count the time in
 * which other processes use the processor, so limits hold on a busy machine. Precise to about 10 ms.
 */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
