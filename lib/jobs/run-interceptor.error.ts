/** A run failed because of an interceptor. Where that threw, `cause` is what. */
export class RunInterceptorError extends Error {
  override readonly name = 'RunInterceptorError';
}
