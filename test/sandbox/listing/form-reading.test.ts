import { describe, expect, it } from 'vitest';
import { readForm } from '../../../sandbox/listing/service.ts';

const servers = (body: string) => readForm(body).servers.map((server) => Object.fromEntries(server));

describe('reading a form as Rack does', () => {
  it('begins a new element when a field repeats in the current one', () => {
    expect(servers('servers[][server]=a&servers[][port]=1&servers[][server]=b&servers[][port]=2')).toEqual([
      { server: 'a', port: '1' },
      { server: 'b', port: '2' },
    ]);
  });

  it('takes a field that is missing in one element from the next, when that does not begin with `server`', () => {
    expect(servers('servers[][server]=a&servers[][server]=b&servers[][port]=1&servers[][game]=x')).toEqual([
      { server: 'a' },
      { server: 'b', port: '1', game: 'x' },
    ]);
  });

  it('reads numbered elements in the order of their numbers', () => {
    expect(servers('servers[10][server]=c&servers[2][server]=b&servers[0][server]=a')).toEqual([
      { server: 'a' },
      { server: 'b' },
      { server: 'c' },
    ]);
  });

  it('decodes names and values', () => {
    expect(servers('servers%5B%5D%5Bserver%5D=%C3%A4+%26%3D')).toEqual([{ server: 'ä &=' }]);
  });

  it('keeps the other fields apart, and no field can reach into the objects around it', () => {
    const { fields, servers: read } = readForm('api_key=k&action=add&servers[][__proto__]=x&__proto__=y');
    expect([...fields.keys()]).toEqual(['api_key', 'action', '__proto__']);
    expect(read[0]?.get('__proto__')).toBe('x');
  });

  it('reads plain texts as elements without fields', () => {
    expect(servers('servers[]=a&servers[]=b')).toEqual([{}, {}]);
  });
});
