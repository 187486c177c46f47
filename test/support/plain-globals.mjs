// The test environment of all projects: jest's, with globals that are plain properties. Jest's own are intercepted, which
// makes every use of a global such as `Math` or `Object` as slow as a call.
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

export default class PlainGlobals extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
}
