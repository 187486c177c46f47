import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { showCache, showLookToBook } from '../../metrics/supplier-cache.js';
import { countRefusal } from '../../metrics/supplier-resilience.js';
import { LookToBook, type LookToBookState } from './look-to-book.js';
import { SupplierMemory } from './supplier-memory.js';

const WORDS: Readonly<Record<LookToBookState, string>> = {
  normal: 'supplier is searched less than agreed again',
  near: 'supplier is almost searched as often per booking as agreed; answers from memory are used for longer, and accounts that used their share are refused',
  reached: 'supplier is searched as often per booking as agreed; further searches are refused',
};

/** What a connection uses; a member is undefined if the supplier's file has no settings for it. */
export interface MemoryRules {
  readonly memory: SupplierMemory | undefined;
  readonly lookToBook: LookToBook | undefined;
}

/** Creates what connections need to answer from memory and to limit searches, and shows it in metrics and log. */
export class SupplierMemories {
  readonly #looks = new Map<string, LookToBook>();

  constructor(private readonly logger: Pick<Logger, 'info' | 'warn'>) {}

  /** For a new connection: an empty memory, and the counts of searches and bookings so far unless what was agreed changed. */
  rulesOf(config: SupplierConfig): MemoryRules {
    const { id, cache } = config;
    const lookToBook = this.#looksOf(config);
    showLookToBook(id, lookToBook && (() => lookToBook.used));
    const isKept = cache.searchVehicles !== undefined || cache.searchLocations !== undefined;
    const memory = isKept ? new SupplierMemory(config, lookToBook) : undefined;
    showCache(
      id,
      memory &&
        (() => ({
          bytes: { searchVehicles: memory.bytes('searchVehicles'), searchLocations: memory.bytes('searchLocations') },
          lifetimeShare: memory.lifetimeShare,
        })),
    );
    return { memory, lookToBook };
  }

  #looksOf({ id, lookToBook: agreed }: SupplierConfig): LookToBook | undefined {
    const known = this.#looks.get(id);
    if (known && isDeepStrictEqual(known.agreed, agreed)) return known;
    this.#looks.delete(id);
    if (!agreed) return undefined;
    const looks = new LookToBook(agreed, {
      moved: (state) =>
        this.logger[state === 'normal' ? 'info' : 'warn']({ supplier: id, state, ...agreed }, WORDS[state]),
      refused: () => countRefusal(id, 'searchVehicles', 'look_to_book'),
    });
    this.#looks.set(id, looks);
    return looks;
  }
}
