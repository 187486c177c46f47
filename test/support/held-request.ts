import { type IncomingMessage, request } from 'node:http';

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A request whose headers were sent and whose body is withheld. */
export interface HeldRequest {
  /** Whether it was answered: without its body, only a guard that refuses it does so. */
  isAnswered(): boolean;
  /** Waits for the answer without sending the body. */
  refused(): Promise<Answer>;
  /** Sends the body and returns the answer. */
  finish(): Promise<Answer>;
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
  let isAnswered = false;
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', (answer) => {
      isAnswered = true;
      resolve(answer);
    });
    sent.on('error', reject);
  });
  answered.catch(() => undefined);
  sent.flushHeaders();
  const read = async (): Promise<Answer> => {
    const answer = await answered;
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk;
    return { status: answer.statusCode ?? 0, headers: answer.headers, text };
  };
  return {
    isAnswered: () => isAnswered,
    refused: async () => {
      const answer = await read();
      sent.destroy();
      return answer;
    },
    finish: async () => {
      sent.end(body);
      return await read();
    },
  };
}
