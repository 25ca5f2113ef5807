import base from '../../jest.config.mjs';

/** The package as others get it: packed, installed into applications of its own, loaded, type-checked and used. */
export default {
  ...base,
  roots: ['<rootDir>/test/package'],
  testPathIgnorePatterns: [],
  testTimeout: 300_000,
};
