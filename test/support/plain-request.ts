import { type IncomingHttpHeaders, request } from 'node:http';

/** Sends a request with exactly these headers, including a foreign Host, which fetch would drop. */
export function plainRequest(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body === undefined ? 'GET' : 'POST', headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}
