import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { CommandRun, OpenedGateway } from '../cli/command-run.js';
import type { fromGateway } from '../cli/control-protocol.js';
import { isOperatorCommand, runCommand } from '../cli/run-command.js';
import { ApiError } from '../status/api-error.js';

/** Longer than the longest command, `gw webhooks deliveries --follow 3600`. */
const MOST_COMMAND_MS = 3_900_000;
const MOST_OUTPUT_BYTES = 256 * 1_048_576;
/** Bytes of lines that the client hasn't read. */
const MOST_UNREAD_BYTES = 16 * 1_048_576;

type Message = z.infer<typeof fromGateway>;

/** The body of a command. `answer` replies to the question that ended an earlier call. */
export const commandBody = z.strictObject({
  words: z
    .array(z.string().max(4_096))
    .min(1)
    .max(100)
    .describe('The command as after `gw`, such as ["supplier", "list", "--json"].'),
  answer: z
    .strictObject({ digest: z.string().max(100), value: z.boolean() })
    .optional()
    .describe('The answer to a question, and the digest that came with it.'),
});

/** Where a command runs, and whose it is. */
export interface CommandCall {
  readonly gateway: OpenedGateway;
  readonly origin: NonNullable<CommandRun['origin']>;
  readonly user: string;
}

/**
 * Runs an operators' command and streams its output as NDJSON, as the control socket does: `print`, `tell`, `write`, and
 * at the end `exit`, or `ask` for a question. The command then runs again with the answer; the answer counts only if the
 * output before the question is the same, so nothing is confirmed that the person didn't see. Throws ApiError 400 for
 * words that are not an operators' command. Never rejects after that.
 */
export async function streamCommand(
  { words, answer }: z.infer<typeof commandBody>,
  { gateway, origin, user }: CommandCall,
  response: ServerResponse,
): Promise<void> {
  if (!isOperatorCommand(words[0]))
    throw ApiError.of('invalid_range', 'There is no such command of operators.', { field: 'words' });
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  const output = new Output(response);
  const deadline = setTimeout(() => output.cut('the command takes longer than 65 minutes'), MOST_COMMAND_MS);
  const questions = new Questions(output, answer);
  const run: CommandRun = {
    user,
    origin,
    workingFolder: process.cwd(),
    print: (line) => questions.say({ print: line }),
    tell: (line) => questions.say({ tell: line }),
    write: async (chunks) => {
      questions.flush();
      for await (const text of chunks) await output.write(text);
    },
    confirm: async (question) => questions.ask(question),
    fail: () => undefined,
    gateway: (work) => work(gateway),
  };
  const exit = await runCommand(words, run);
  clearTimeout(deadline);
  questions.flush();
  output.end(questions.open ?? { exit });
}

/** Questions of a command, whose answers come with the next call. */
class Questions {
  /** The question that has no answer yet. */
  open: Message | undefined;
  /** Output that the person has seen, if the answer is to the question after it. */
  readonly #held: Message[] = [];
  #seen = '';
  #answer: { readonly digest: string; readonly value: boolean } | undefined;

  constructor(
    private readonly output: Output,
    answer: { readonly digest: string; readonly value: boolean } | undefined,
  ) {
    this.#answer = answer;
  }

  /** After an open question, the command only says that it was stopped. */
  say(message: Message): void {
    if (this.open) return;
    this.#seen += JSON.stringify(message);
    if (this.#answer) this.#held.push(message);
    else this.output.send(message);
  }

  flush(): void {
    for (const message of this.#held.splice(0)) this.output.send(message);
    this.#answer = undefined;
  }

  /** Throws an Error if the answer must be asked for. */
  ask(question: string): boolean {
    const digest = createHash('sha256')
      .update(this.#seen + JSON.stringify(question))
      .digest('base64url');
    const answer = this.#answer;
    if (answer?.digest === digest) {
      this.#held.length = 0;
      this.#answer = undefined;
      return answer.value;
    }
    this.flush();
    this.open = { ask: question, digest };
    throw new Error('the question must be answered first');
  }
}

/** Lines to a client, within bounds. What doesn't reach it is dropped: the command runs to completion. */
class Output {
  #bytes = 0;
  #isCut = false;

  constructor(private readonly response: ServerResponse) {
    // The client is gone.
    response.on('error', () => response.destroy());
  }

  send(message: Message): void {
    if (this.#isCut || this.response.destroyed) return;
    const line = `${JSON.stringify(message)}\n`;
    this.#bytes += Buffer.byteLength(line);
    if (this.#bytes > MOST_OUTPUT_BYTES) this.cut('the output is larger than 256 MiB');
    else if (this.response.writableLength > MOST_UNREAD_BYTES) this.cut('the output is not read fast enough');
    else this.response.write(line);
  }

  /** Resolves when more can be written. Throws an Error if the client doesn't get it. */
  async write(text: string): Promise<void> {
    this.send({ write: text });
    if (this.#isCut || this.response.destroyed) throw new Error('the client does not read the output');
    if (this.response.writableNeedDrain)
      await Promise.race([once(this.response, 'drain'), once(this.response, 'close')]);
  }

  cut(why: string): void {
    if (this.#isCut) return;
    this.end({ tell: `${why}; what was changed is in the audit log` }, { exit: 2 });
    this.#isCut = true;
  }

  end(...messages: readonly Message[]): void {
    if (this.#isCut || this.response.destroyed) return;
    this.response.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  }
}
