/** Codes that PostgreSQL gives to errors. */
export const UNIQUE_VIOLATION = '23505';
export const INSUFFICIENT_PRIVILEGE = '42501';
export const DEADLOCK_DETECTED = '40P01';
