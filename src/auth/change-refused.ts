/**
 * A change that the rules forbid. The message explains why and what to do instead; `field` is the invalid form
 * field.
 */
export class ChangeRefused extends Error {
  constructor(
    message: string,
    readonly field = 'form',
  ) {
    super(message);
    this.name = 'ChangeRefused';
  }
}
