/** A text file of the repository; `path` is relative to its root, with `/`. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/**
 * All text written by people below `root`, by path: source, tests, docs, configuration; no fixtures or generated files.
 */
export function sources(root: string): readonly Source[];
