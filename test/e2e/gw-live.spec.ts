import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { gw, gwInThread, type Said } from '../support/gw.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

const QUICK_STATES = { suppliers: { statesMs: 100 } };

describe('gw, while a gateway with the embedded database runs', () => {
  const running = runGateway({ embedded: true, config: { settings: QUICK_STATES } });
  const env = () => ({ DATA_DIR: running().gateway.dataFolder });
  const run = (...words: string[]): Said => gwInThread(words, env());
  const socketPath = (): string => join(running().gateway.dataFolder, 'control.sock');

  test('puts a supplier into maintenance without a restart, and live again', async () => {
    const { client } = running();
    const skipped = async () => (await client.get(vehiclesPath())).headers['x-suppliers-skipped'];
    expect(run('supplier', 'state', 'bravo', 'maintenance')).toEqual({
      status: 0,
      stdout: 'bravo: maintenance\n',
      stderr: '',
    });
    await eventually(skipped, (seen) => seen === 'bravo', 3_000);
    expect(run('supplier', 'list').stdout).toContain('bravo\tmaintenance\t-\tlive\n');
    expect(run('supplier', 'state', 'bravo', 'configured').status).toBe(0);
    await eventually(skipped, (seen) => seen === undefined, 3_000);
  });

  test('gw accounts create-ops prints a link to the port that the gateway listens on, which PORT=0 left open', () => {
    const { status, stdout } = run('accounts', 'create-ops', 'ops@example.com', '--reason', 'joins the team');
    expect([status, stdout.split('#')[0]]).toEqual([0, `${running().gateway.baseUrl}/reset/link`]);
  });

  test('gw doctor asks the gateway how it is, and finds its counts, breakers, queues, and event loop well', async () => {
    const { client } = running();
    for (let call = 0; call < 12; call += 1)
      expect((await client.get(vehiclesPath({ brand: 'Bravo', max_results: String(call + 1) }))).status).toBe(200);
    const health = () => run('doctor', '--json');
    const { stdout } = await eventually(
      async () => health(),
      (said) => said.stdout.includes('calls to bravo'),
      20_000,
    );
    const { findings } = JSON.parse(stdout) as { findings: { subject: string; found: string }[] };
    expect(Object.fromEntries(findings.map(({ subject, found }) => [subject, found]))).toMatchObject({
      gateway: 'runs and answers commands',
      database: expect.stringContaining('in use by process'),
      reviews: 'no reservation waits for an operator',
      breakers: 'all closed',
      queues: 'no queue of a supplier is nearly full',
      'calls to bravo': expect.stringMatching(/^\d\d in the last 10 minutes/),
      'event loop': expect.stringMatching(/^timers are \d+ ms late$/),
      disk: expect.stringMatching(/GB free for the data folder$/),
    });
  });

  test('revokes the tokens in the memory of the gateway when it suspends an application', async () => {
    const { client } = running();
    const token = await client.freshToken();
    const call = async () => (await client.get(locationsPath('boston'), { token })).status;
    const list = run('apps', 'list').stdout;
    const id = /^(app_\w+)\t\w+\tdemo\t/m.exec(list)?.[1] ?? '';
    expect(await call()).toBe(200);
    expect(run('apps', 'suspend', id)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^[1-9]\d* active tokens revoked/),
    });
    expect(await call()).toBe(401);
    expect(run('apps', 'resume', id).status).toBe(0);
  });

  test.each([
    [['apps', 'suspend', 'app_x'], 2, 'There is no application app_x in sandbox.\n'],
    [['supplier', 'fly'], 2, "error: unknown command 'fly'"],
    [['products', 'deprecate', 'car_availability', '--version', 'v1'], 2, 'confirmation needs a terminal'],
    [['reservation', 'unclear'], 0, '0 unclear\n'],
    [['accounts', 'export', '4111111111111111'], 2, 'looks like a payment card number'],
  ])('%j ends as in its own process', (words, status, text) => {
    expect(run(...words)).toMatchObject({ status, stderr: expect.stringContaining(text) });
  });

  test('writes long results completely', () => {
    const list = gw(['products', 'describe'], env());
    expect(JSON.parse(list.stdout)).toHaveProperty('openapi');
  });

  claim('API5', 'Only the user of the gateway can send it commands: its control socket has mode 0600.', () => {
    expect(statSync(socketPath()).mode & 0o777).toBe(0o600);
    expect(statSync(running().gateway.dataFolder).mode & 0o777).toBe(0o700);
  });

  test.each([
    'not JSON\n',
    '{"words":["adapter","new","x"],"user":"x","workingFolder":"/","dataDigest":"x"}\n',
    '{"words":["doctor"],"user":"x","workingFolder":"/","dataDigest":"x"}\n',
    '{"answer":true}\n',
    '\n',
  ])('a connection that sends %j gets no command run, and the next one works', async (sent) => {
    const socket = connect(socketPath());
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    // The gateway may close it before it has read everything, which resets the connection.
    const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
    socket.write(sent);
    await closed;
    expect(received).not.toContain('"exit":0');
    expect(run('maintenance', 'list')).toMatchObject({ status: 0, stderr: '' });
  });

  test.each([
    [
      'another environment',
      { FORECOURT_ENV: 'production', FORECOURT_SECRET: randomBytes(32).toString('base64') },
      /process/,
    ],
    ['another database', { DATABASE_URL: 'postgresql://cars@127.0.0.1:9/cars' }, /ECONNREFUSED/],
  ])('a command for %s is never run in this one', (_case, other, message) => {
    const said = gwInThread(['apps', 'list'], { DATA_DIR: running().gateway.dataFolder, ...other });
    expect(said).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('records who changed what and why, and verifies the log, while the gateway signs it', async () => {
    expect(run('supplier', 'state', 'bravo', 'drain', '--reason', 'their request').status).toBe(0);
    expect(run('supplier', 'state', 'bravo', 'configured').status).toBe(0);
    const listed = JSON.parse(run('audit', 'list', '--subject', 'bravo', '--json').stdout) as object[];
    expect(listed[1]).toMatchObject({
      actor: 'ops',
      channel: 'command',
      agent: expect.stringMatching(/./),
      environment: 'sandbox',
      action: 'supplier_state_given',
      after: { state: 'drain' },
      reason: 'their request',
    });
    const verify = () => run('audit', 'verify').stdout;
    // A gateway signs every ten seconds what other tests have changed.
    expect(
      await eventually(
        async () => verify(),
        (said) => !said.includes('; 0 checkpoints'),
        30_000,
      ),
    ).toMatch(
      /^\d+ events agree, 0 of them erased; [1-9]\d* checkpoints\nlast seal that is right: \d+:[0-9a-f]{64}\n$/,
    );
    expect(run('audit', 'export').stdout.trim().split('\n').length).toBeGreaterThan(1);
  });

  test('last, after the gateway was killed, commands and gw doctor use the database themselves, in spite of its socket', async () => {
    const { gateway } = running();
    gateway.child.process.kill('SIGKILL');
    await gateway.child.exited;
    const { status, stdout } = run('supplier', 'list');
    expect([status, stdout]).toEqual([0, expect.stringContaining('bravo')]);
    expect(run('doctor')).toMatchObject({ status: 0, stdout: expect.not.stringContaining('in use by process') });
  });
});
