// The test environment of all projects: jest's, with two differences. Globals are plain properties: jest's own are intercepted, which
// makes every use of a global such as `Math` or `Object` as slow as a call. And all files of a worker have the same globals, to
// which the modules belong that they share (shared-modules.mjs): after each file, timers, mocks and variables are those of the start.
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

class SharedGlobals extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
    this.variables = { ...this.global.process.env };
  }

  async teardown() {
    this.fakeTimersModern.useRealTimers();
    this.moduleMocker.restoreAllMocks();
    const { env } = this.global.process;
    for (const name of Object.keys(env)) if (!(name in this.variables)) delete env[name];
    Object.assign(env, this.variables);
  }
}

let shared;

/** Jest calls it with `new` for each file. */
export default function sharedGlobals(config, context) {
  shared ??= new SharedGlobals(config, context);
  return shared;
}
