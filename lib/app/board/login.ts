/** The login form for the token. It never contains what the user typed. */
export const loginPage = (message: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Keyferry queues</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 15vh auto; padding: 0 1rem; }
  input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; margin-top: .5rem; }
</style>
<h1>Keyferry queues</h1>
<p>${message}</p>
<form method="post" action="/login">
  <label>Root token <input type="password" name="token" autocomplete="off" required autofocus></label>
  <button>Enter</button>
</form>
</html>
`;
