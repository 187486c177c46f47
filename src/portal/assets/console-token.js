// The access token of the console, kept in this module only.

const application = document.getElementById('application');
/** The current token: {application, value, endsAtMs}. */
let token;

export function liveToken() {
  return token?.application === application?.value && token.endsAtMs > Date.now() ? token : undefined;
}

/** Gets a token if there is no valid one. Throws an Error that says what to do. */
export async function ensureToken() {
  if (liveToken()) return;
  const { value } = application;
  const response = await fetch('/console/token', {
    method: 'POST',
    body: new URLSearchParams({ application: value }),
    redirect: 'manual',
  });
  if (response.type === 'opaqueredirect') {
    location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
    throw new Error('Your session expired. Log in to continue.');
  }
  if (!response.ok) {
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    throw new Error(`No access token: ${page.querySelector('main p')?.textContent ?? response.status}`);
  }
  const { access_token, expires_in } = await response.json();
  token = { application: value, value: access_token, endsAtMs: Date.now() + expires_in * 1000 };
}

/** For a token that was revoked or is refused. */
export function forgetToken() {
  token = undefined;
}
