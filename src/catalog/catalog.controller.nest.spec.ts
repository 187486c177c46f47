import { Readable } from 'node:stream';
import { contextOfApplication } from '../context/fixtures/context.js';
import { CatalogController } from './catalog.controller.js';

test('a search in lines says when they are made, whether or not they are read', async () => {
  const made = Promise.resolve();
  const readable = new Readable({ read: () => undefined });
  const catalog = { stream: async () => ({ readable, made }) };
  const controller = new CatalogController(catalog as never, {} as never);
  const context = contextOfApplication('app_a', 0);
  const [query, lines] = [{ view: 'full' } as never, 'application/x-ndjson'];
  for (const answer of [
    await controller.byQuery(query, lines, { partialAs200: false } as never, context),
    await controller.byBody(query, lines, { partialAs200: false } as never, context),
  ])
    expect([answer.body, answer.made]).toEqual([readable, made]);
});
