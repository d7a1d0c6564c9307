/** Builds a user as Discord shows them to others (Discord docs: User Object). */
export const userObject = ({ id, name }: { readonly id: string; readonly name: string }) => ({
  id,
  username: name,
  discriminator: '0',
  global_name: name,
  avatar: null,
  primary_guild: null,
  public_flags: 0,
  flags: 0,
});

/** Formats a time as Discord does: in microseconds, with an offset (Discord docs: Reference, ISO8601 Date/Time). */
export const timestamp = (ms: number): string => new Date(ms).toISOString().replace('Z', '000+00:00');
