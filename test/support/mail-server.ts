import { once } from 'node:events';
import threads from 'node:worker_threads';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { freePort } from './child.js';

/** An email as received over the wire, with its two parts decoded. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Headers and body as received. */
  readonly raw: string;
}

/** An SMTP server for one test, on a port that stays the same over stop and start. */
export interface MailServer {
  readonly url: string;
  /** All emails so far, oldest first. */
  mails(): readonly ReceivedMail[];
  /** The oldest email to an address that was not returned yet; waits for it, and rejects after `timeoutMs`. */
  next(to: string, timeoutMs?: number): Promise<ReceivedMail>;
  /** From now on, RCPT TO of this address is answered with this code; undefined = 250 again. */
  refuse(to: string, code: number | undefined): void;
  /** From now on, RCPT TO of addresses of this domain is never answered; false = answered again. */
  hold(domain: string, isHeld?: boolean): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const OF_WORKER = Symbol.for('forecourt.mail-server');
/** Modules of Node.js are the same for all files of a jest worker; this one is loaded by each. */
const kept = threads as { [OF_WORKER]?: Promise<MailServer> };

/** The server of this jest worker, which runs until the worker ends; at the first call, starts it on the port. */
export function mailServerOfWorker(port: number): Promise<MailServer> {
  kept[OF_WORKER] ??= startMailServer(port);
  return kept[OF_WORKER];
}

/** Starts an SMTP server on a port of 127.0.0.1, by default a free one, without TLS and login. */
export async function startMailServer(fixedPort?: number): Promise<MailServer> {
  const port = fixedPort ?? (await freePort());
  const received: ReceivedMail[] = [];
  const given = new Set<ReceivedMail>();
  const refusals = new Map<string, number>();
  const held = new Set<string>();
  const listeners = new Set<() => void>();
  let server: SMTPServer | undefined;
  const start = async (): Promise<void> => {
    server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      closeTimeout: 100,
      onRcptTo: ({ address }, _session, done) => {
        if (held.has(address.slice(address.indexOf('@') + 1))) return;
        const responseCode = refusals.get(address);
        done(responseCode === undefined ? null : Object.assign(new Error('refused by the test'), { responseCode }));
      },
      onData: (stream, session, done) => {
        void readMail(stream, session).then((mail) => {
          received.push(mail);
          done();
          for (const listener of [...listeners]) listener();
        }, done);
      },
    });
    // A client that disconnects midway doesn't fail the test.
    server.on('error', () => undefined);
    await once(server.listen(port, '127.0.0.1'), 'listening');
    // The server of a worker doesn't keep it from ending.
    server.server.unref();
  };
  const stop = (): Promise<void> => new Promise((resolve) => (server ? server.close(() => resolve()) : resolve()));
  const take = (to: string): ReceivedMail | undefined => {
    const mail = received.find((one) => one.to === to && !given.has(one));
    if (mail) given.add(mail);
    return mail;
  };
  await start();
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails: () => received,
    next: (to, timeoutMs = 15_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => done(new Error(`no mail to ${to}; there are mails to: ${received.map((mail) => mail.to)}`)),
          timeoutMs,
        );
        const done = (error?: Error, mail?: ReceivedMail): void => {
          clearTimeout(timer);
          listeners.delete(look);
          if (mail) resolve(mail);
          else reject(error);
        };
        const look = (): void => {
          const mail = take(to);
          if (mail) done(undefined, mail);
        };
        listeners.add(look);
        look();
      }),
    refuse: (to, code) => {
      if (code === undefined) refusals.delete(to);
      else refusals.set(to, code);
    },
    hold: (domain, isHeld = true) => {
      if (isHeld) held.add(domain);
      else held.delete(domain);
    },
    start,
    stop,
  };
}

/** The first URL in an email's text whose path begins with this. Throws if there is none. */
export function linkIn({ text }: Pick<ReceivedMail, 'text'>, path: string): string {
  const link = [...text.matchAll(/https?:\/\/\S+/g)]
    .map(([url]) => url)
    .find((url) => new URL(url).pathname.startsWith(path));
  if (link === undefined) throw new Error(`there is no link to ${path} in:\n${text}`);
  return link;
}

async function readMail(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<ReceivedMail> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks).toString('latin1');
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).map((part) => split(part.replace(/^\r\n/, '')));
  const part = (type: string): string => {
    const found = parts.find((one) => one.headers.get('content-type')?.startsWith(type));
    return found ? decoded(found.body, found.headers.get('content-transfer-encoding') ?? '7bit') : '';
  };
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address).join(', '),
    subject: headers.get('subject') ?? '',
    text: part('text/plain'),
    html: part('text/html'),
    raw,
  };
}

/** Headers by lower-case name, unfolded, and the text after them. */
function split(text: string): { headers: Map<string, string>; body: string } {
  const end = text.indexOf('\r\n\r\n');
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
  );
  return { headers: new Map(headers), body: text.slice(end + 4) };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString('utf8');
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
