import { describe, expect, it } from 'vitest';
import { fieldCalled } from '../../src/server-lists/field-names.ts';
import { languages } from '../../src/words/languages.ts';

const field = (name: string) => fieldCalled(name)?.field;

describe('field names', () => {
  it.each(languages)("include the form's labels in $tag", ({ sentences }) => {
    const { game, server, port, query_port } = sentences.addserver.field;
    expect([game, server, port, query_port].map(field)).toEqual(['game', 'server', 'port', 'queryPort']);
  });

  it.each([
    [
      'server',
      'Server IP',
      'ip_alias',
      'IP:Port',
      'serverIP',
      'Serveradresse',
      'IP адрес',
      'server.ip',
      'host_name',
      'Hôte',
      'Адрес сервера',
      'Adres serwera',
      'Sunucu adresi',
      'IP and port',
    ],
    ['port', 'Port (UDP)', 'connect_port', 'hostport', 'Server-Port', 'Portnummer', 'ports'],
    ['gamePort', 'gameport', 'Game Port', 'join_port', 'Spielport', 'Port de jeu', 'Herní port'],
    [
      'queryPort',
      'query',
      'query_ip',
      'portQuery',
      'port_query',
      'Steam Query Port',
      'steam_port',
      'SERVER_LIST_PORT',
      'q_port',
      'Abfrageport',
    ],
    ['unclearPort', 'beacon_port', 'Port 2'],
    ['game', 'Game title', 'Spielname', 'alias'],
    ['type', 'Game type', 'Typ'],
    ['name', 'Servername', 'Port name', 'title'],
    ['other', 'rconPort', 'sftp_details', 'database', 'License server', 'Web Port'],
  ])('are recognised as "%s"', (expected, ...names) => {
    expect(names.map(field)).toEqual(names.map(() => expected));
  });

  it('don\'t match words like "Support" or "players"', () => {
    const names = ['Support', 'export', 'Passport', 'players', 'map', 'gameid', 'steamid', 'Q', '1', ''];
    expect(names.map(field)).toEqual(names.map(() => undefined));
  });
});
