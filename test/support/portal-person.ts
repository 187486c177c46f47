/** An answer of the portal: `location` is the path of a redirect within it. */
export interface PageAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly location: string | undefined;
  readonly ms: number;
}

/** A person with a browser without scripts: keeps the session's cookie and sends forms as browsers do. */
export class PortalPerson {
  /** The cookie of the session; undefined = none. */
  cookie: string | undefined;
  /** The cookie by which the browser is known for an account; undefined = none. */
  device: string | undefined;
  /** The cookie that opens the outbox; undefined = none. */
  outbox: string | undefined;

  /** `headers` are sent with every request: X-Forwarded-For, if a proxy is trusted. */
  constructor(
    private readonly baseUrl: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** `path` may be a complete URL from an email. If it has a fragment, posts that as the script of the page does. */
  get(path: string): Promise<PageAnswer> {
    const { pathname, hash } = new URL(path, this.baseUrl);
    return hash === '' ? this.#send('GET', path, {}) : this.submit(pathname, { secret: hash.slice(1) });
  }

  /** Opens a link from an email and sends the form behind it. Returns the page behind a link that is no longer valid. */
  async follow(link: string, fields: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    const page = await this.get(link);
    const action = /<form[^>]* action="([^"]*)"[^>]*><input type="hidden" name="secret"/.exec(page.text)?.[1];
    return action === undefined ? page : this.fill(page, action, fields);
  }

  /** Sends a form of a portal page, and opens the credentials of a new application; `headers` override what a browser would send (undefined = leave it out). */
  submit(
    path: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<PageAnswer> {
    const own = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: this.baseUrl,
      'sec-fetch-site': 'same-origin',
    };
    return this.#send('POST', path, { ...own, ...headers }, new URLSearchParams(fields).toString()).then((answer) =>
      answer.location?.endsWith('/made') ? this.get(answer.location) : answer,
    );
  }

  /**
   * Sends a form of a page as a browser does, including its hidden and prefilled fields. Throws if the page has no form
   * with that action, or the form lacks a field with a given name.
   */
  fill(page: PageAnswer, action: string, fields: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    const form = [...page.text.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)]
      .map(([html]) => html)
      .find((html) => html.includes(` action="${action}"`));
    const inputs = [...(form ?? '').matchAll(/<(?:input|textarea|select|button)((?:[^">]|"[^"]*")*)/g)].map(
      ([, attributes = '']) => attributeOf(attributes),
    );
    const names = inputs.map((attribute) => attribute('name'));
    const strange = Object.keys(fields).filter((name) => !names.includes(name));
    if (form === undefined || strange.length > 0)
      throw new Error(`the page has no form ${action} with ${strange}:\n${page.text}`);
    const prefilled = inputs
      .filter((attribute) => ['hidden', 'text'].includes(attribute('type')) && attribute('name') !== '')
      .map((attribute) => [attribute('name'), attribute('value')]);
    return this.submit(action, { ...Object.fromEntries(prefilled), ...fields });
  }

  async #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string | undefined>>,
    body?: string,
  ): Promise<PageAnswer> {
    const cookie = [this.cookie, this.device, this.outbox].filter((one) => one !== undefined).join('; ') || undefined;
    const all = Object.entries({ ...this.headers, cookie, ...headers });
    const startedAt = performance.now();
    const response = await fetch(new URL(path, this.baseUrl), {
      method,
      redirect: 'manual',
      headers: Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const set = response.headers.getSetCookie().find((one) => /^(?:__Host-)?forecourt=/.test(one));
    if (set !== undefined) this.cookie = set.includes('Max-Age=0') ? undefined : set.split(';', 1)[0];
    const device = response.headers.getSetCookie().find((one) => /^(?:__Host-)?forecourt-device=/.test(one));
    if (device !== undefined) this.device = device.split(';', 1)[0];
    const outbox = response.headers.getSetCookie().find((one) => /^(?:__Host-)?forecourt-outbox=/.test(one));
    if (outbox !== undefined) this.outbox = outbox.split(';', 1)[0];
    return {
      status: response.status,
      text,
      headers: response.headers,
      location: response.headers.get('location') ?? undefined,
      ms: performance.now() - startedAt,
    };
  }
}

/** Reads attributes of a tag, entities decoded; '' = the tag lacks the attribute. */
function attributeOf(attributes: string): (name: string) => string {
  return (name) => {
    const text = new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
    return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
  };
}
