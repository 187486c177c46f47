// Loaded into a gateway before its own code: removes the defenses that PROOF_DEFECTS names, separated by commas, from the
// built code, so that the proof must find what they prevent (test/proof/mutants.ts).
import { registerHooks } from 'node:module';
import { DEFECTS } from './defect-list.mjs';

const named = (process.env.PROOF_DEFECTS ?? '').split(',').filter((name) => name !== '');
const edits = named.flatMap((name) => DEFECTS[name]);

if (edits.length > 0) {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.includes('/dist/') || loaded.source === undefined || loaded.source === null) return loaded;
      let source = loaded.source.toString();
      for (const [whole, broken] of edits) source = source.replaceAll(whole, broken);
      return { ...loaded, source };
    },
  });
}
