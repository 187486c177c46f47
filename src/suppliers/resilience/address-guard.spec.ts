import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { supplierConfigSchema } from '../../config/supplier-config.schema.js';
import { SupplierHttpClient } from '../http-client.js';
import { isGuarded, isPublicAddress } from './address-guard.js';

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '169.253.255.255',
    '2606:4700::1111',
    '2001:4860::1',
    '::ffff:8.8.8.8',
  ])('%s is', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.255.254',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...[
      '192.168.1.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      'fe80::1',
      'fd00:ec2::254',
      'ff02::1',
    ],
    ...[
      '::ffff:127.0.0.1',
      '::ffff:a9fe:a9fe',
      '64:ff9b::a9fe:a9fe',
      '::ffff:0:169.254.169.254',
      '::ffff:0:7f00:1',
      '100::1',
      '2001:db8::1',
      '3fff::1',
      '5f00::1',
      '2002:7f00:1::',
      '::127.0.0.1',
      '2001:0:a9fe:a9fe::1',
    ],
    ...['fe80::1%eth0'],
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('which addresses are checked', () => {
  const real = { id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'] };
  const played = { ...real, simulator: { dialect: 'ota' } };
  const permitted = { ...real, allowPrivateNetwork: true };

  it.each<[string, object, string, 'sandbox' | 'production', boolean]>([
    ['a real supplier in production', real, 'https://uno.example', 'production', true],
    ['loopback in production', real, 'http://127.0.0.1:9', 'production', true],
    ['a simulator in production', played, 'http://localhost:9', 'production', true],
    ['a supplier with allowPrivateNetwork in production', permitted, 'http://10.0.0.1', 'production', false],
    ['a real supplier in the sandbox', real, 'https://uno.example', 'sandbox', true],
    ['a private address in the sandbox', real, 'http://10.0.0.1', 'sandbox', true],
    ['a name that starts like a loopback address', real, 'http://127.example', 'sandbox', true],
    ['loopback in the sandbox', real, 'http://127.0.0.1:9', 'sandbox', false],
    ['loopback in the sandbox, by IPv6', real, 'http://[::1]:9', 'sandbox', false],
    [
      'a real supplier that has a simulator as well',
      { ...played, url: 'http://10.0.0.1' },
      'http://10.0.0.1',
      'sandbox',
      true,
    ],
    ['a simulator on another host in the sandbox', played, 'http://simulators:4101', 'sandbox', false],
  ])('%s: %s', (_case, config, url, environment, guarded) => {
    expect(isGuarded(supplierConfigSchema.parse(config), url, environment)).toBe(guarded);
  });
});

describe('a connection to public addresses only', () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let port = 0;
  beforeAll(async () => {
    server.listen(0);
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  });
  afterAll(() => {
    server.close();
  });

  const send = async (base: string, publicOnly: boolean) => {
    const client = new SupplierHttpClient(base, 1, 10_000, publicOnly);
    const error: unknown = await client.send({ method: 'GET', path: '/' }, {}, {}).catch((thrown: unknown) => thrown);
    await client.close();
    return error;
  };

  // The URL parser also reads numbers as addresses: 2130706433 is 127.0.0.1.
  it.each([
    'http://127.0.0.1',
    'http://localhost',
    'http://[::1]',
    'http://2130706433',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'https://127.0.0.1',
    'https://localhost',
  ])('never reaches %s and reports that nothing was sent', async (base) => {
    const before = connections;
    expect(await send(`${base}:${port}`, true)).toMatchObject({
      fault: 'unavailable',
      sent: false,
      message: expect.stringContaining('private network'),
    });
    expect(connections).toBe(before);
  });

  it('never reaches the metadata service of a cloud', async () => {
    expect(await send('http://169.254.169.254', true)).toMatchObject({
      sent: false,
      message: expect.stringContaining('private network'),
    });
  });

  it('reaches them if that is permitted', async () => {
    const before = connections;
    await send(`http://localhost:${port}`, false);
    expect(connections).toBe(before + 1);
  });
});
