import { type IncomingMessage, request } from 'node:http';

/** A request whose headers were sent and whose body is withheld. */
export interface HeldRequest {
  /** Sends the body and returns the answer. */
  finish(): Promise<{ readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string }>;
}

/** Sends the headers of a POST, and its body only on `finish`. */
export function holdRequest(
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): HeldRequest {
  const sent = request(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  answered.catch(() => undefined);
  sent.flushHeaders();
  return {
    finish: async () => {
      sent.end(body);
      const answer = await answered;
      let text = '';
      for await (const chunk of answer.setEncoding('utf8')) text += chunk;
      return { status: answer.statusCode ?? 0, headers: answer.headers, text };
    },
  };
}
