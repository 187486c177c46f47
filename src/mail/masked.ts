/** Masks an email address for the log: enough to find an email, but not to contact its owner. */
export function masked(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}…${address.slice(at)}`;
}
