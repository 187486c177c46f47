import { adapterKinds } from '../../adapters/index.js';
import type { SupplierAdapter, SupplierAnswer, SupplierSettings } from '../../model/supplier.js';
import type { Warning } from '../../model/warnings.js';
import { type EndedCall, type Recording, type Replayed, replay } from './replay.js';
import { slicesOf } from './slices.js';
import { beginTask, type TaskBegin } from './task-clock.js';

/** One task of a worker thread. */
export interface Task {
  /** The configuration of the supplier; `serial` changes whenever it does. */
  readonly supplier: { readonly serial: number; readonly kind: string; readonly settings: SupplierSettings };
  readonly recording: Recording;
}

/** The result of a task. The items of an answer are in `slices`. */
export type TaskResult =
  | Exclude<Replayed, { kind: 'answered' }>
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'listed'; readonly slices: readonly Uint8Array[]; readonly warnings: readonly Warning[] };

/** The adapters of this thread, by supplier: those of the latest configuration that was used. */
const adapters = new Map<string, { readonly serial: number; readonly adapter: SupplierAdapter }>();

/** Runs in worker threads: replays a recorded operation. Rejects if the adapter can't be created. */
export default async function replayTask({
  supplier,
  recording,
  begun,
}: Task & { readonly begun: TaskBegin }): Promise<TaskResult> {
  beginTask(begun);
  const result = await replay(adapterOf(supplier), { ...recording, calls: recording.calls.map(withBuffer) });
  if (result.kind !== 'answered') return result;
  const { items, warnings = [] } = result.answer as Partial<SupplierAnswer<unknown>>;
  return items === undefined ? result : { kind: 'listed', slices: slicesOf(items), warnings };
}

function adapterOf({ serial, kind, settings }: Task['supplier']): SupplierAdapter {
  const known = adapters.get(settings.id);
  if (known?.serial === serial) return known.adapter;
  const adapter = adapterKinds[kind]?.(settings);
  if (!adapter) throw new Error(`unknown adapter ${kind}`);
  adapters.set(settings.id, { serial, adapter });
  return adapter;
}

/** Between threads, a Buffer becomes a Uint8Array. */
function withBuffer({ call, ended }: EndedCall): EndedCall {
  if (!('answer' in ended)) return { call, ended };
  const { body } = ended.answer;
  return {
    call,
    ended: { answer: { ...ended.answer, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) } },
  };
}
