import type { ProductState } from './lifecycle.js';
import type { ProductSeed } from './product-file.js';
import { formatVersion, fulfils, newestFirst, type Version } from './version.js';

/** A version with its state and audience, for handling requests. Instants are epoch seconds. */
export interface VersionFacts extends Version {
  readonly state: ProductState;
  /** The label, such as `v1.1`. */
  readonly label: string;
  readonly deprecatedAt?: number;
  readonly sunsetAt?: number;
  /** Applications that are selected for the Beta of this minor. */
  readonly betaApplications: ReadonlySet<string>;
}

/** The facts about a product that requests need. */
export interface ProductFacts {
  readonly id: string;
  readonly path: string;
  /** Newest first. */
  readonly versions: readonly VersionFacts[];
  /** The major for a path without a version; undefined if nothing is Live. */
  readonly newestLiveMajor?: number;
  /** Majors with at least one version that some application may call. */
  readonly openMajors: ReadonlySet<number>;
  /** Applications that subscribed after the first deprecation, with the time in epoch seconds. */
  readonly lateSubscribers: ReadonlyMap<string, number>;
}

/** The rows of the database. Instants are epoch seconds. */
export interface VersionRows {
  readonly versions: readonly (Version & {
    readonly productId: string;
    readonly state: ProductState;
    readonly deprecatedAt: number | null;
    readonly sunsetAt: number | null;
  })[];
  readonly beta: readonly {
    readonly productId: string;
    readonly major: number;
    readonly minor: number;
    readonly applicationId: string;
  }[];
  readonly late: readonly {
    readonly productId: string;
    readonly applicationId: string;
    readonly subscribedAt: number;
  }[];
}

/**
 * Joins the file and the database: the file of this build defines the versions, the rows their states and audiences.
 */
export function productFacts(products: readonly ProductSeed[], rows: VersionRows): readonly ProductFacts[] {
  return products.map((product) => {
    const versions = rows.versions
      .filter((row) => row.productId === product.id && product.versions.some((version) => fulfils(version, row)))
      .map((row): VersionFacts => {
        const selected = rows.beta.filter(
          (beta) => beta.productId === product.id && beta.major === row.major && beta.minor === row.minor,
        );
        return {
          major: row.major,
          minor: row.minor,
          patch: row.patch,
          state: row.state,
          label: formatVersion(row),
          ...(row.deprecatedAt === null ? {} : { deprecatedAt: row.deprecatedAt }),
          ...(row.sunsetAt === null ? {} : { sunsetAt: row.sunsetAt }),
          betaApplications: new Set(selected.map((beta) => beta.applicationId)),
        };
      })
      .sort(newestFirst);
    const newestLiveMajor = versions.find((version) => version.state === 'live')?.major;
    return {
      id: product.id,
      path: product.path,
      versions,
      ...(newestLiveMajor === undefined ? {} : { newestLiveMajor }),
      openMajors: new Set(versions.filter(isOpen).map((version) => version.major)),
      lateSubscribers: new Map(
        rows.late.filter((row) => row.productId === product.id).map((row) => [row.applicationId, row.subscribedAt]),
      ),
    };
  });
}

function isOpen({ state }: VersionFacts): boolean {
  return state === 'beta' || state === 'live' || state === 'deprecated';
}
