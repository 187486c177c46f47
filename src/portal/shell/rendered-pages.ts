import { Answer } from '../../http/answer.js';
import type { Page } from './page.js';

/** Pages that are the same for everyone who isn't logged in, rendered once and not for each request. */
export class RenderedPages {
  readonly #pages = new Map<string, { readonly basis: string; readonly answer: Answer }>();

  /**
   * The page with this key, rendered on first use and whenever `basis` changed. It must depend on nothing else, and only a fixed
   * number of keys may exist, none of which a caller makes up. Errors of `render` are thrown, and nothing is kept then.
   */
  get(key: string, render: () => Page, basis = ''): Answer {
    const known = this.#pages.get(key);
    if (known?.basis === basis) return known.answer;
    const { status, body, headers } = render();
    const answer = new Answer(status, Buffer.from(body), headers);
    this.#pages.set(key, { basis, answer });
    return answer;
  }
}
