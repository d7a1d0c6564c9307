import { describe, expect, it, onTestFinished } from 'vitest';
import { startPublicRecords } from '../../sandbox/game-servers.ts';
import { createNames } from '../../src/game-servers/names.ts';

async function open() {
  const records = await startPublicRecords();
  const names = createNames([records.nameServer]);
  onTestFinished(async () => {
    names.stop();
    await records.close();
  });
  return { records, names };
}

describe("a game server's host name", () => {
  it('resolves only to public addresses', async () => {
    const { records, names } = await open();
    records.addName('play.example.com', {
      addresses: ['127.0.0.1', '10.0.0.1', '93.184.216.34', '169.254.169.254'],
    });
    expect(await names.addressesOf('play.example.com')).toEqual(['93.184.216.34']);
    expect(await names.addressesOf('93.184.216.34')).toEqual(['93.184.216.34']);
    expect(await names.addressesOf('absent.example.com')).toEqual([]);
    const asked = records.askedNames.length;
    expect(await names.addressesOf('192.168.0.1')).toEqual([]);
    expect(await names.addressesOf('metadata.internal')).toEqual([]);
    await names.addressesOf('play.example.com');
    expect(records.askedNames).toHaveLength(asked);
  });

  it.each([
    ['the port from its SRV record', { minecraft: { target: 'play.example.com', port: 25_577 } }, 25_577],
    [
      "the SRV record's port if it points to another name at the same address",
      { minecraft: { target: 'mc.example.com', port: 7 } },
      7,
    ],
    ['port 25565 without an SRV record', {}, 25_565],
    [
      'no port if the record points to another address',
      { minecraft: { target: 'other.example.com', port: 1 } },
      undefined,
    ],
    [
      'no port if the record points to an internal name',
      { minecraft: { target: 'mc.internal', port: 1 } },
      undefined,
    ],
    [
      'no port if the record points to a missing name',
      { minecraft: { target: 'absent.example.com', port: 1 } },
      undefined,
    ],
    ['no port if the name has a private address', { addresses: ['10.0.0.1'] }, undefined],
  ])('resolves to %s', async (_, found, port) => {
    const { records, names } = await open();
    records.addName('play.example.com', { addresses: ['93.184.216.34'], ...found });
    records.addName('mc.example.com', { addresses: ['93.184.216.34'] });
    records.addName('other.example.com', { addresses: ['93.184.216.35'] });
    expect(await names.minecraftPort('play.example.com')).toBe(port);
    expect(records.askedNames).not.toContain('mc.internal');
  });

  it("has no port if it doesn't exist in DNS", async () => {
    const { names } = await open();
    expect(await names.minecraftPort('absent.example.com')).toBeUndefined();
  });

  it.each(['failing', 'silent'] as const)("can't be resolved if the name server is %s", async (how) => {
    const { records, names } = await open();
    records.addName('play.example.com', { addresses: ['93.184.216.34'] });
    records.behaveAsNameServer(how);
    await expect(names.minecraftPort('play.example.com')).rejects.toThrow();
    expect(await names.addressesOf('play.example.com')).toEqual([]);
  });
});
