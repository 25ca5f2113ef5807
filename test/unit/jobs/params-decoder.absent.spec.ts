import { jest } from '@jest/globals';

jest.unstable_mockModule('class-validator', () => {
  throw new Error("Cannot find package 'class-validator'");
});

const { decodeParams, requireDecoder } = await import('../../../lib/jobs/params-decoder.js');

const WHAT_TO_INSTALL =
  'Decoding params needs the packages class-validator and class-transformer: run `npm install class-validator class-transformer`.';

describe('params without class-validator', () => {
  it('says at start-up and at each run what to install', async () => {
    await expect(requireDecoder('Report in ReportModule')).rejects.toThrow(
      'The job handler Report in ReportModule declares a class for its params, which needs the packages class-validator and class-transformer: run `npm install class-validator class-transformer`.',
    );
    await expect(decodeParams(class {}, {})).rejects.toThrow(WHAT_TO_INSTALL);
  });
});
