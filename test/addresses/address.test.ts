import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../../src/addresses/address.ts';
import * as arbitrary from '../support/arbitraries.ts';
import { anyCharacter } from '../support/arbitraries.ts';

const read = (text: string) => {
  const result = parseAddress(text);
  return result.ok ? formatAddress(result.address) : result.problem;
};
const codeOf = (text: string) => {
  const result = parseAddress(text);
  return result.ok ? 'ok' : result.problem.code;
};

describe('the address parser', () => {
  it.each([
    ['8.8.8.8', '8.8.8.8'],
    ['8.8.8.8:00080', '8.8.8.8:80'],
    ['8.8.8.8:', '8.8.8.8'],
    ['8.8.8.8 27015', '8.8.8.8:27015'],
    ['8.8.8.8 : 27015', '8.8.8.8:27015'],
    ['a.example.com;27015', 'a.example.com:27015'],
    ['8.8.8.8:27015/udp', '8.8.8.8:27015'],
    ['Play.Example.ORG.', 'play.example.org'],
    ['play.example.com.:25565', 'play.example.com:25565'],
    ['my_server.example.com:1', 'my_server.example.com:1'],
    ['2606:4700:0:0:0:0:6810:84E5', '[2606:4700::6810:84e5]'],
    ['[2606:4700::1]', '[2606:4700::1]'],
    ['2606:4700::1 27015', '[2606:4700::1]:27015'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['[::ffff:808:808]:27015', '8.8.8.8:27015'],
    ['münchen.example.com:1', 'xn--mnchen-3ya.example.com:1'],
    ['例え。jp:25565', 'xn--r8jz45g.jp:25565'],
    ['😀.example.com:1', 'xn--e28h.example.com:1'],
    ['STEAM://CONNECT/[2606:4700::1]:27015/secret', '[2606:4700::1]:27015'],
    ['steam://run/730//+connect%208.8.8.8:27015%20+password%20x', '8.8.8.8:27015'],
    ['connect 8.8.8.8:27015;password "x y"', '8.8.8.8:27015'],
    ['password x; connect 8.8.8.8:27015', '8.8.8.8:27015'],
    ['8.8.8.8:27015 pw: x', '8.8.8.8:27015'],
    ['user:secret@8.8.8.8:27015', '8.8.8.8:27015'],
    ['IP: 8.8.8.8:27015', '8.8.8.8:27015'],
    ['server.example.com:1', 'server.example.com:1'],
    ['password.example.com:1', 'password.example.com:1'],
    ['http://8.8.8.8:27015/', '8.8.8.8:27015'],
    ['“8.8.8.8:27015”', '8.8.8.8:27015'],
    ['```8.8.8.8:27015```', '8.8.8.8:27015'],
    ['[8.8.8.8:27015]', '8.8.8.8:27015'],
    ['(8.8.8.8:27015),', '8.8.8.8:27015'],
    ['８．８．８．８：２７０１５', '8.8.8.8:27015'],
    ['\u200b8.8.8.8\u200d:\u202e27015\ufeff', '8.8.8.8:27015'],
    ['\u00a08.8.8.8:27015\u3000', '8.8.8.8:27015'],
    ['my\u2011server.example.com:1', 'my-server.example.com:1'],
  ])('parses %j as %s', (text, expected) => expect(read(text)).toBe(expected));

  it.each([
    ['', 'server-missing'],
    [' \u200b ', 'server-missing'],
    [':27015', 'server-missing'],
    ['a b c', 'not-an-address'],
    ['8.8.8.8:1:2', 'not-an-address'],
    ['8.8.8.8:1;2', 'not-an-address'],
    ['8.8.8.8;1;cs2', 'bad-name'],
    ['https://example.com', 'web-address'],
    ['https://example.com:8080/map?x', 'web-address'],
    ['example.com/play', 'web-address'],
    ['8.8.8.0/24', 'web-address'],
    ['ts3server://example.com', 'unknown-scheme'],
    ['steam://rungameid/730', 'not-an-address'],
    ['2606:4700:1:2:3:4:5:6:27015', 'ipv6-brackets'],
    ['2606:4700::zz', 'not-an-address'],
    ['[2606:4700::1::2]:1', 'bad-ipv6'],
    ['2606:4700::1%eth0', 'bad-ipv6'],
    ['host', 'single-label'],
    ['_minecraft._tcp.example.com', 'service-name'],
    ['a..example.com', 'bad-name'],
    ['-a.example.com', 'bad-name'],
    ['a!b.example.com', 'bad-name'],
    [`${'x'.repeat(64)}.com`, 'label-too-long'],
    [`${'ü'.repeat(60)}.com`, 'label-too-long'],
    ['x'.repeat(1001), 'address-too-long'],
  ])('rejects %j: %s', (text, code) => expect(codeOf(text)).toBe(code));

  it('accepts host names of up to 253 characters', () => {
    const longest = [63, 63, 63, 57]
      .map((length) => 'a'.repeat(length))
      .join('.')
      .concat('.com');
    expect(longest.length).toBe(253);
    expect(read(`${longest}:65535`)).toBe(`${longest}:65535`);
    expect(codeOf(`a${longest}`)).toBe('name-too-long');
  });

  it.each([
    '127.0x1',
    '2130706433',
    '010.8.8.8',
    '8.8.8',
    '256.8.8.8',
  ])('rejects nonstandard IPv4 notation: %s', (text) => expect(codeOf(text)).toBe('ipv4-form'));

  it.each([
    ['8.8.8.8:0', { code: 'port-too-low', field: 'port', port: 0 }],
    ['8.8.8.8:-5', { code: 'port-too-low', field: 'port', port: -5 }],
    ['8.8.8.8:65536', { code: 'port-too-high', field: 'port', port: 65_536 }],
    ['8.8.8.8:27o15', { code: 'port-not-a-number', field: 'port', port: '27o15' }],
    ['8.8.8.8:-0', { code: 'port-too-low', field: 'port', port: 0 }],
    [`8.8.8.8:${'9'.repeat(13)}`, { code: 'port-not-a-number', field: 'port', port: '99999999999…' }],
  ])('rejects an invalid port: %j', (text, problem) => expect(read(text)).toEqual(problem));
});

describe('the address parser', () => {
  const RANGES = {
    private: '10.1.2.3 172.31.255.255 192.168.0.4 fec0::1 ::ffff:192.168.0.4 64:ff9b::10.0.0.1',
    'private (link-local)': '169.254.169.254 fe80::1 fe80::1%eth0 fd00::1',
    shared: '100.64.0.1',
    loopback: '127.0.0.1 ::1 2002:7f00:1::',
    special: '0.0.0.0 :: 255.255.255.255 224.0.0.1 ff02::1 198.19.0.1 2001:2::1',
    'special (documentation)': '192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1',
    reserved: '192.0.0.8 192.88.99.1 240.0.0.1 100::1 4000::1 ::8.8.8.8 64:ff9b:1::1',
    // Teredo addresses contain the addresses of a server and a client.
    'private (in Teredo)': '2001:0:808:808::f5ff:fffe 2001:0:a00:1::f7f7:f7f7',
  };
  it.each(Object.entries(RANGES))('rejects non-public addresses: %s', (name, hosts) => {
    const [range] = name.split(' ');
    for (const host of hosts.split(' ')) {
      expect(read(host), host).toMatchObject({ code: 'not-public', range });
      const inLink = `steam://connect/${host.includes(':') ? `[${host}]` : host}:27015`;
      expect(read(inLink), inLink).toMatchObject({ range });
    }
  });

  it('accepts public addresses next to a reserved range', () => {
    const hosts =
      '1.1.1.1 172.15.0.1 172.32.0.1 100.128.0.1 198.20.0.1 223.255.255.255 2002:808:808::1 64:ff9b::808:808';
    for (const host of [...hosts.split(' '), '2001:4860:4860::8888']) expect(codeOf(host), host).toBe('ok');
  });

  it.each([
    ['localhost', 'localhost'],
    ['a.localhost', 'localhost'],
    ['game.internal.', 'internal'],
    ['router.home.arpa', 'arpa'],
  ])('rejects host names in reserved domains: %s', (name, zone) => {
    expect(read(name)).toMatchObject({ code: 'reserved-name', zone });
  });
});

describe('the address parser', () => {
  const pasted = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom(...'0123456789.:[]/%@;# \t\n"\'`<>|*_-+axX\u200b\u202e：。😀'),
      maxLength: 60,
    }),
  );

  it('never throws, and round-trips every address that it accepts', () => {
    fc.assert(
      fc.property(pasted, (text) => {
        const result = parseAddress(text);
        if (result.ok) expect(parseAddress(formatAddress(result.address))).toEqual(result);
        else expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts any public host and port, in any notation', () => {
    const around = fc.constantFrom<readonly [string, string]>(
      ['', ''],
      [' "', '" '],
      ['**`', '`**'],
      ['||', '||'],
      ['<steam://connect/', '>'],
      ['steam://connect/', '/hunter2'],
      ['connect ', '; password hunter2'],
      ['minecraft://', ''],
      ['\u200f', '\u00a0'],
    );
    fc.assert(
      fc.property(arbitrary.host, arbitrary.port, around, (host, port, [before, after]) => {
        const text = before + formatAddress({ host, port }) + after;
        expect(parseAddress(text)).toEqual({ ok: true, address: { host, port } });
      }),
    );
  });
});
