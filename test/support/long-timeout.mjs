// For tests of real processes and databases: a busy machine may take long over what is quick, so a test that holds
// something to a time says so itself.
// Jest takes `testTimeout` only for all projects together.
import { jest } from '@jest/globals';

jest.setTimeout(60_000);
