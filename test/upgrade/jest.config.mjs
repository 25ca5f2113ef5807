import base from '../../jest.config.mjs';

/** Two versions of the package side by side, each packed and installed: `npm run test:upgrade`. */
export default {
  ...base,
  roots: ['<rootDir>/test/upgrade'],
  testPathIgnorePatterns: [],
  testTimeout: 300_000,
};
