/** A page to sign in on. */
export function loginPage(names: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <title>Sign in</title>
  <h1>Back office</h1>
  <p>Sign in as ${names.join(' or ')}; the password is the name.</p>
  <form method="post">
    <p><label>Name <input name="username" autocomplete="username" autofocus /></label></p>
    <p><label>Password <input name="password" type="password" autocomplete="current-password" /></label></p>
    <p><button>Sign in</button></p>
  </form>
</html>`;
}
