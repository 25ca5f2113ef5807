import { SetMetadata } from '@nestjs/common';

export const PUBLIC = Symbol('PUBLIC');

/** Lets everybody pass the session guard. */
export const Public = () => SetMetadata(PUBLIC, true);
