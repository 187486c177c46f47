import { Answer } from '../../http/answer.js';
import { sharedBytes } from '../../http/shared-bytes.js';

/** What an Answer is made of. */
type Rendered = Pick<Answer, 'status' | 'headers'> & { readonly body: string };

/** Pages and documents that are the same for everyone who isn't logged in, rendered once and not for each request. */
export class RenderedPages {
  readonly #pages = new Map<string, { readonly basis: string; readonly answer: Answer }>();

  /**
   * The page or document with this key, rendered on first use and whenever `basis` changed. It must depend on nothing else, and only a fixed
   * number of keys may exist, none of which a caller makes up. Errors of `render` are thrown, and nothing is kept then.
   */
  get(key: string, render: () => Rendered, basis = ''): Answer {
    const known = this.#pages.get(key);
    if (known?.basis === basis) return known.answer;
    const { status, body, headers } = render();
    const answer = new Answer(status, sharedBytes(body), headers);
    this.#pages.set(key, { basis, answer });
    return answer;
  }
}
