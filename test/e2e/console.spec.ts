import { describeWith } from '../support/binaries.js';
import { visitSharedGateway } from '../support/docs-visitor.js';

describeWith('redis-server', 'initdb')('the console for a visitor who cannot send yet', () => {
  const visited = visitSharedGateway();
  const open = async (cookie: string): Promise<string> =>
    (await fetch(`${visited().gateway.baseUrl}/console?operation=priceOffer`, { headers: { cookie } })).text();

  test('shows the next step: log in, or, for a person without an application, create one', async () => {
    const anonymous = await open('');
    expect(anonymous).toContain(
      `href="/login?next=${encodeURIComponent('/console?operation=priceOffer')}">Log in to send<`,
    );
    const newcomer = await open(await visited().signIn('acc_newcomer'));
    expect([
      newcomer.includes('Log in to send'),
      newcomer.includes('href="/applications/new">Create an application to send<'),
    ]).toEqual([false, true]);
  });
});
