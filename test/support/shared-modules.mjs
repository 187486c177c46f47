// The runtime of jest for all projects (decision 0088): what specs import from src/ and node_modules/ is loaded once per worker
// instead of once per file, which took more time than the tests. Specs and the files of tests are loaded for each file, so that
// `expect`, `jest` and fixtures are its own. A spec that resets or mocks modules gets modules of its own from then on.
import JestRuntime from 'jest-runtime';

const SHARED = /\/(node_modules|build|src|packages)\//;
const OWN = /\.(spec|contract)\.|\/fixtures\/|\/test\/|^@jest\/|^(node:)?module$|\?/;
/** By file URL and by path, as jest keeps them. */
const esModules = new Map();
const commonModules = new Map();
/** Functions that were compiled of CommonJS packages, by path. */
const compiled = new Map();

export default class SharedModules extends JestRuntime {
  constructor(...all) {
    super(...all);
    const { watch, watchAll } = all.at(-1);
    // Files change while jest watches them.
    this.isSharing = !watch && !watchAll;
    if (!this.isSharing) return;
    useShared(this.registries);
    keepCompiled(this.executor);
  }

  resetModules() {
    leaveShared(this.registries);
    super.resetModules();
  }

  setModuleMock(...all) {
    leaveShared(this.registries);
    super.setModuleMock(...all);
  }

  teardown() {
    if (!this.isSharing) return super.teardown();
    for (const registry of [esModules, commonModules]) {
      for (const name of registry.keys()) if (!isShared(name)) registry.delete(name);
    }
    super.teardown();
    // Modules that stay may import others later.
    useShared(this.registries);
    this.testState.enterTestCode();
  }
}

function useShared(registries) {
  registries.esModuleRegistry = esModules;
  registries.moduleRegistry = commonModules;
}

/**
 * Keeps what is compiled of packages: jest's own are evaluated for each file, and compiling them took longer than most
 * specs. All files have the same globals, to which these functions belong.
 */
function keepCompiled(executor) {
  const { compile } = executor;
  executor.compile = (source, path) => {
    // What a function imports later is resolved by the file for which it was compiled.
    if (!path.includes('/node_modules/') || source.includes('import(')) return compile.call(executor, source, path);
    if (!compiled.has(path)) compiled.set(path, compile.call(executor, source, path));
    return compiled.get(path);
  };
}

function leaveShared(registries) {
  if (registries.esModuleRegistry !== esModules) return;
  registries.esModuleRegistry = new Map();
  registries.moduleRegistry = new Map();
}

/** Names without a slash are those of Node's own modules. */
function isShared(name) {
  if (OWN.test(name.replace(/.*\/node_modules\//, '/node_modules/'))) return false;
  return SHARED.test(name) || !name.includes('/');
}
