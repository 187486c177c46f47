import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { causes } from '../../src/status/causes.js';
import { reasons } from '../../src/status/reasons.js';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { startChild } from '../support/child.js';
import { visitSharedGateway } from '../support/docs-visitor.js';
import { plainRequest } from '../support/plain-request.js';
import { PROJECT } from '../support/project.js';

const OWN_PATHS = /^\/(?:docs|console|openapi\.json|postman\.json|llms|$)/;
/** What a page of the documentation weighs at most. */
const MOST_BYTES = 40_000;

describeWith('redis-server', 'initdb')('the documentation', () => {
  const visited = visitSharedGateway();
  /** An address of its own, whose pages no other spec uses up. */
  const FROM = { 'x-forwarded-for': '203.0.113.80' };
  const known = new Map<string, Promise<readonly [body: string, init: ResponseInit]>>();
  /** Without headers, each page is fetched once. */
  const get = async (path: string, headers?: Record<string, string>): Promise<Response> => {
    if (headers) return fetchNow(path, headers);
    const answer =
      known.get(path) ??
      fetchNow(path, {}).then(
        async (page) => [await page.text(), { status: page.status, headers: page.headers }] as const,
      );
    known.set(path, answer);
    const [body, init] = await answer;
    return new Response(body, init);
  };
  /** Repeats what is more than a network may request per minute, when it may. */
  const fetchNow = async (path: string, headers: Record<string, string>): Promise<Response> => {
    const response = await fetch(new URL(path, visited().gateway.baseUrl), { headers: { ...FROM, ...headers } });
    if (response.status !== 429) return response;
    await wait(Number(response.headers.get('retry-after')) * 1_000);
    return fetchNow(path, headers);
  };
  const text = async (path: string, headers?: Record<string, string>): Promise<string> =>
    (await get(path, headers)).text();
  const as = () => ({ cookie: visited().cookie });

  /** The href of each link of a page, without entities. */
  const linksOf = (html: string): string[] =>
    [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&').replace(/&#(\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code))),
    );

  test('every page reachable from /docs answers 200 and weighs at most 40 KB, and no link or anchor between them is broken', async () => {
    const pages = new Map<string, string>();
    const waiting = ['/docs'];
    const dead: string[] = [];
    const heavy: string[] = [];
    const untitled: string[] = [];
    const anchors: { from: string; path: string; anchor: string }[] = [];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue;
      const response = await get(path);
      pages.set(path, await response.text());
      if (response.status !== 200) dead.push(`${path}: ${response.status}`);
      if (!response.headers.get('content-type')?.startsWith('text/html') || path.startsWith('/console')) continue;
      const bytes = Buffer.byteLength(pages.get(path) ?? '');
      if (bytes > MOST_BYTES) heavy.push(`${path}: ${bytes} bytes`);
      if (/>[\w/-]+\.md<\/a>/.test(pages.get(path) ?? '')) untitled.push(path);
      for (const href of linksOf(pages.get(path) ?? '')) {
        const url = new URL(href, `http://host${path}`);
        if (url.host !== 'host' || !OWN_PATHS.test(url.pathname)) continue;
        waiting.push(url.pathname + url.search);
        if (url.hash) anchors.push({ from: path, path: url.pathname + url.search, anchor: url.hash.slice(1) });
      }
    }
    const missing = anchors.filter(
      ({ path, anchor }) => !pages.get(path)?.includes(` id="${decodeURIComponent(anchor)}"`),
    );
    expect(dead).toEqual([]);
    expect(heavy).toEqual([]);
    // A reader of a page doesn't know its files.
    expect(untitled).toEqual([]);
    expect(missing).toEqual([]);
    // All files, including those that no page links to.
    const files = [
      ...readdirSync(join(PROJECT, 'docs')),
      ...['decisions', 'runbooks'].flatMap((folder) =>
        readdirSync(join(PROJECT, 'docs', folder)).map((name) => `${folder}/${name}`),
      ),
    ];
    const slugs = files
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, ''));
    expect(slugs.map((slug) => (slug === '' ? '/docs' : `/docs/${slug}`)).filter((path) => !pages.has(path))).toEqual(
      [],
    );
  }, 60_000);

  test('the markdown of a page is its file; a page shows none of its comments', async () => {
    for (const name of ['errors', 'authentication', 'decisions/0016-console']) {
      const response = await get(`/docs/${name}.md`);
      expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(await response.text()).toBe(readFileSync(join(PROJECT, 'docs', `${name}.md`), 'utf8'));
    }
    expect(readFileSync(join(PROJECT, 'docs', 'authentication.md'), 'utf8')).toContain('<!-- test:get -->');
    expect(await text('/docs/authentication')).not.toContain('test:get');
  });

  test('documents webhooks where readers look for events, and what to do without an endpoint', async () => {
    expect(await text('/docs')).toMatch(
      /<h2 id="events">Events<\/h2>\s*<p><a href="\/docs\/webhooks">Webhooks<\/a>[\s\S]*GET \/cars\/reservation\/v1/,
    );
  });

  test('a page has its place in the order of the index, with the previous and next page', async () => {
    const html = await text('/docs/pricing');
    expect(html).toContain('<a href="/docs/filters" rel="prev">');
    expect(html).toContain('<a href="/docs/reservations" rel="next">');
  });

  test('an unknown page is a 404 with links to continue', async () => {
    const response = await get('/docs/..%2f..%2fpackage.json');
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });

  describe('/docs/getting-started', () => {
    const commandsOf = (html: string): string[] =>
      [...html.matchAll(/<pre[^>]*><code[^>]*>([\s\S]*?)<\/code>/g)].map(([, code = '']) =>
        code.replace(/&#(\d+);/g, (_entity, sign: string) => String.fromCharCode(Number(sign))),
      );

    test('holds the commands of README.md verbatim', async () => {
      const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
      const blocks = [...readme.matchAll(/<!-- test:[\w-]+ -->\s*```sh\n([\s\S]*?)\n```/g)].map(
        ([, code = '']) => code,
      );
      const [, token, ...others] = commandsOf(await text('/docs/getting-started'));
      expect(others).toEqual(blocks.slice(1));
      expect(blocks[0]).toContain(token);
    });

    test('has the reader’s own client id and never the secret; its commands run as printed, with the secret typed in', async () => {
      const html = await text('/docs/getting-started', as());
      const { client_id, client_secret } = visited().gateway.credentials();
      expect(html).not.toContain(client_secret);
      expect(html).toContain('href="/applications/app_demo"');
      const commands = commandsOf(html);
      expect(commands[0]).toBe(`BASE=${visited().gateway.baseUrl}\nCLIENT_ID=${client_id}\nread -rs CLIENT_SECRET`);
      const script = `set -eu\n${commands.join('\n')}`;
      const shell = startChild('bash', ['-c', `bash -c "$SCRIPT" <<< "$TYPED"`], {
        cwd: PROJECT,
        env: { PATH: process.env.PATH ?? '', SCRIPT: script, TYPED: client_secret },
      });
      expect(await shell.exited).toBe(0);
      expect([...shell.output().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
        '200',
        '206',
        '200',
        '201',
        '201',
      ]);
    }, 60_000);

    test('has a placeholder for a visitor without an application, and says how to create one', async () => {
      const html = await text('/docs/getting-started');
      expect(html).toContain('CLIENT_ID=YOUR_CLIENT_ID');
      expect(html).toContain('href="/login?next=/docs/getting-started"');
    });

    test('ignores a host with shell syntax', async () => {
      const { status, text: html } = await plainRequest(`${visited().gateway.baseUrl}/docs/getting-started`, {
        host: 'a$(id)b',
      });
      expect([status, html.includes('$(id)')]).toEqual([200, false]);
    });
  });

  describe('/docs/operations', () => {
    const idsOf = async (): Promise<readonly string[]> => {
      const html = await text('/docs/operations');
      return [...html.matchAll(/<li id="\w+"><a href="\/docs\/operations\/(\w+)"/g)].map(([, id = '']) => id);
    };

    test('has a page for every operation, with its limits, its fields, its errors, and where to try it', async () => {
      const ids = await idsOf();
      expect(ids.length).toBeGreaterThan(30);
      for (const id of ids) {
        const html = await text(`/docs/operations/${id}`);
        expect(html).toContain(`href="/console?operation=${id}"`);
        expect(html).toContain('id="status-codes"');
      }
      const search = await text('/docs/operations/searchLocations');
      expect(search).toContain('v1.2 (live), v1.1 (live), v1.0.1 (live)');
      expect(search).toContain('href="/docs/errors#permissions_failure"');
      expect(search).toContain('<code>keyword</code>');
      expect(await text('/docs/operations/issueToken')).toContain('600 calls per minute with bursts of 120');
    });

    test('shows the fields of a response, nested, and each shared object once', async () => {
      const html = await text('/docs/operations/createReservation');
      expect(html).toMatch(/<details><summary><code>status<\/code>/);
      expect(html).toContain('href="/docs/objects/Reservation"');
      const reservation = await text('/docs/objects/Reservation');
      expect(reservation).toMatch(/<code>driver<\/code>[\s\S]*<code>last_name<\/code>/);
      for (const page of [html, reservation]) {
        const anchors = [...page.matchAll(/ id="(object-\w+)"/g)].map(([, anchor]) => anchor);
        expect(anchors).toEqual([...new Set(anchors)]);
      }
    });

    test.each([
      '/docs/operations/nothing',
      '/docs/operations/nothing/responses',
      '/docs/objects/Nothing',
      '/docs/objects/__proto__',
    ])('%s is a 404', async (path) => {
      expect((await get(path)).status).toBe(404);
    });
  });

  test('each page belongs to one section, whose navigation has it', async () => {
    const pagesOf = async (section: string): Promise<readonly string[]> => {
      const [, html = ''] = (await text(`/docs/${section}`)).split('<div class="pages">');
      return [...(html.split('</nav>', 1)[0] ?? '').matchAll(/<li><a href="(\/docs\/[^"]+)"[^>]*>[^<]*<\/a><\/li>/g)]
        .map(([, path = '']) => path)
        .filter((path) => !SECTIONS.includes(path));
    };
    const SECTIONS = ['developers', 'operations', 'operators', 'contributors'].map((slug) => `/docs/${slug}`);
    const lists = await Promise.all(SECTIONS.map((path) => pagesOf(path.slice(6))));
    expect(lists.map((list) => list.length > 5)).toEqual([true, true, true, true]);
    expect(lists.flat()).toEqual([...new Set(lists.flat())]);
    expect(lists[0]).toContain('/docs/webhooks');
    expect(lists[2]).toEqual(expect.arrayContaining(['/docs/deployment', '/docs/runbooks']));
    expect(await text('/docs/deployment')).not.toContain('href="/docs/pricing"');
    expect(await text('/docs/runbooks/clock-off')).toContain('href="/docs/operators" aria-current="true"');
  });

  describe('/docs/search', () => {
    /** Path and title of each result. */
    const resultsOf = async (query: string): Promise<readonly string[]> => {
      const html = await text(`/docs/search?${new URLSearchParams({ q: query })}`);
      const [, list = ''] = html.split('id="results">');
      const [results = ''] = list.split('</ol>', 1);
      return [...results.matchAll(/<a href="([^"]+)">([^<]*)</g)].map(([, path, title]) => `${path} ${title}`);
    };

    test('finds pages, headings, reasons, operations and parts of words', async () => {
      expect(await resultsOf('price_changed')).not.toEqual([]);
      expect((await resultsOf('webhooks'))[0]).toBe('/docs/webhooks Webhooks');
      expect((await resultsOf('permissions_failure'))[0]).toContain('/docs/errors#permissions_failure');
      expect((await resultsOf('search vehicles'))[0]).toContain('/docs/operations/searchVehicles');
      expect(await resultsOf('idempot')).not.toEqual([]);
      expect((await resultsOf('clock')).join()).toContain('/docs/runbooks/clock-off');
      expect(await resultsOf('zzzz no such words')).toEqual([]);
    });

    test('finds a header by its words in errors and limits before guides', async () => {
      const found = (await resultsOf('retry after')).slice(0, 3);
      expect(found.filter((line) => !/^\/docs\/(?:errors|limits)/.test(line))).toEqual([]);
      expect(found.length).toBe(3);
    });

    test('excerpts separate the cells and rows of tables', async () => {
      expect(await text('/docs/search?q=certification+behaviors')).toContain(
        'To show it · Result; Keeps its token · Use one',
      );
    });

    test('each result is there, with its heading', async () => {
      for (const query of ['booking', 'token', 'supplier', 'limit'])
        for (const line of await resultsOf(query)) {
          const [path = '', anchor] = (line.split(' ')[0] ?? '').split('#');
          const html = await text(path);
          expect([line, anchor === undefined || html.includes(` id="${anchor}"`)]).toEqual([line, true]);
        }
    });

    test.each(['', '   ', '<script>alert(1)</script>', '__proto__ constructor', '%00', 'a'.repeat(1_000), '(.*)+$'])(
      'answers %j with a page',
      async (query) => {
        const response = await get(`/docs/search?${new URLSearchParams({ q: query })}`);
        expect([response.status, (await response.text()).includes('<script>alert')]).toEqual([200, false]);
      },
    );

    test('ignores a parameter that is repeated', async () => {
      expect((await get('/docs/search?q=a&q=b')).status).toBe(200);
    });
  });

  test('the changelog is a page and an Atom feed, whose entries lead to it', async () => {
    const response = await get('/docs/changelog.atom');
    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const feed = await response.text();
    const page = await text('/docs/changelog');
    const links = [...feed.matchAll(/<link rel="alternate" type="text\/html" href="([^"]+)#([^"]+)"/g)];
    expect(links.length).toBeGreaterThan(4);
    for (const [, url, anchor] of links) {
      expect(url).toBe(`${visited().gateway.baseUrl}/docs/changelog`);
      expect(page).toContain(` id="${anchor}"`);
    }
    const versions = JSON.parse(readFileSync(join(PROJECT, 'releases', 'changelog.json'), 'utf8')) as {
      version: string;
      date?: string;
    }[];
    // A version without a date is still open.
    for (const { version, date } of versions)
      expect([version, feed.includes(`<title>API description ${version}<`)]).toEqual([version, date !== undefined]);
    expect(page).toContain('href="/docs/changelog.atom"');
  });

  describe('/docs/errors', () => {
    test('explains each reason with an entry of a real answer, and its causes', async () => {
      const html = await text('/docs/errors');
      for (const [reason, { code }] of Object.entries(reasons)) {
        expect(html).toContain(`<h2 id="${reason}">${code} ${reason}</h2>`);
        const [, entry = ''] = new RegExp(`id="entry-${reason}">([^<]*)<`).exec(html) ?? [];
        expect(JSON.parse(entry)).toMatchObject({ code: String(code), reason });
      }
      for (const cause of Object.keys(causes)) expect(html).toContain(`<code>${cause}</code>`);
    });

    test('says which button of the console comes first, if an example needs an offer or a booking', async () => {
      const rows = [...(await text('/docs/errors')).matchAll(/<li><strong>\d[\s\S]*?<\/li>/g)].map(([row]) => row);
      const firstOf = (part: string) =>
        /First press <em>([^<]+)</.exec(rows.find((row) => row.includes(part)) ?? '')?.[1];
      expect(firstOf('recipe=card_declined')).toBe('Get an offer first');
      expect(firstOf('recipe=version_mismatch')).toBe('Create a reservation first');
      expect(firstOf('operation=searchVehicles&')).toBeUndefined();
      expect(rows.filter((row) => row.includes('res_nothing') && row.includes('First press'))).toEqual([]);
      const bookings = rows.filter((row) => /operation=(createReservation|changeReservation)/.test(row));
      expect(bookings.filter((row) => !row.includes('First press'))).toEqual([]);
      expect(bookings.length).toBeGreaterThan(10);
    });
  });

  describe('for machines', () => {
    test('/llms.txt has the form of llmstxt.org, and each of its links answers', async () => {
      const llms = await text('/llms.txt');
      expect(llms).toMatch(/^# Forecourt\n\n> \S[\s\S]*?\n\n## /);
      const items = llms.split('\n').filter((line) => line.startsWith('- '));
      expect(items.length).toBeGreaterThan(15);
      for (const item of items) {
        const [, link = ''] = /^- \[[^\]]+\]\(([^)]+)\): \S.*$/.exec(item) ?? [];
        expect([item, (await get(link)).status]).toEqual([item, 200]);
      }
    });

    test('/llms-full.txt holds every page that /llms.txt lists', async () => {
      const full = await text('/llms-full.txt');
      for (const name of ['getting-started', 'errors', 'performance'])
        expect(full).toContain(await text(`/docs/${name}.md`));
    });
  });

  describe('an unknown path', () => {
    const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

    test('is a page for a browser, with the logged-in person', async () => {
      const response = await get('/aplications', { ...BROWSER, ...as() });
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      // A network that has used up its pages gets this one without the person.
      const page = (html: string): boolean => html.includes('Ada Sample');
      await eventually(() => text('/aplications', { ...BROWSER, ...as() }), page);
    });

    test.each(['/cars/nothing', '/oauth/nothing', '/health', '/metrics/x', '/.well-known/nothing'])(
      '%s is in the status container even for a browser',
      async (path) => {
        const response = await get(path, BROWSER);
        expect([response.status, (await response.json()).status.errors[0].reason]).toEqual([404, 'resource_failure']);
      },
    );

    test('is in the status container for a program, and for a form', async () => {
      expect((await (await get('/aplications')).json()).status.errors[0].reason).toBe('resource_failure');
      const posted = await fetch(`${visited().gateway.baseUrl}/aplications`, { method: 'POST', headers: BROWSER });
      expect((await posted.json()).status.errors[0].reason).toBe('resource_failure');
    });
  });
});
