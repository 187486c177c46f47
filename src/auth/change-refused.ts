/** A change that the rules do not allow. The message says to people why, and what to do instead; `field` is the field of a form at fault. */
export class ChangeRefused extends Error {
  constructor(
    message: string,
    readonly field = 'form',
  ) {
    super(message);
    this.name = 'ChangeRefused';
  }
}
