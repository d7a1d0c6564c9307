import { createBoundedMap } from '../pacing/bounded-map.ts';

/**
 * The field that a column, JSON key or label refers to. `unclearPort` is a port of unclear purpose, such as `beacon_port`.
 * `other` is something that doesn't describe a game server, such as `rcon` or `database`.
 */
export type Field =
  | 'server'
  | 'port'
  | 'gamePort'
  | 'queryPort'
  | 'unclearPort'
  | 'game'
  | 'type'
  | 'name'
  | 'other';

export const PORT_FIELDS: ReadonlySet<Field | undefined> = new Set<Field>([
  'port',
  'gamePort',
  'queryPort',
  'unclearPort',
]);

export const GAME_FIELDS: ReadonlySet<Field | undefined> = new Set<Field>(['game', 'type']);

export interface FieldName {
  readonly field: Field;
  /** How specific the name is; 0 is the most specific. "server" and "hostname" often contain the display name. */
  readonly rank: number;
}

/** In all of the bot's languages. Also contains the words for a port in Arabic and Persian. */
const WORDS = {
  address:
    'address addresses addr adresse adress adres adresi adresa adresă dirección endereço indirizzo cím címe alamat адрес адреса địa_chỉ アドレス 주소 地址 位址 ที่อยู่',
  ip: 'ip ips ipv4 ipv6',
  host: 'host hosts hôte хост domain domeniu domena doména domínio dominio домен ドメイン 도메인 域名 网域 網域 โดเมน endpoint',
  server:
    'server servers hostname servidor serveur serveru serverului сервер сервера szerver sunucu serwer serwera máy_chủ サーバー サーバ 서버 服务器 伺服器 เซิร์ฟเวอร์ connect connection',
  port: 'port ports porta portu puerto porto poort порт порта cổng พอร์ต ポート 포트 端口 通訊埠 連接埠 埠 المنفذ منفذ بورت پورت',
  query:
    'query querying abfrage requête consulta sorgu sorgulama クエリ クエリー 쿼리 查询 查詢 запрос запроса запросов запит запиту запитів zapytań zapytania dotaz dotazu dotazování dotazovací lekérdezés lekérdezési interogare kueri truy_vấn คิวรี fråga fråge interrogazione a2s',
  /** Words that only refer to the query port if the name also contains "port". */
  queryOfPort: 'steam q list',
  game: 'game spiel jeu juego jogo gioco spel gra gry hra hry herní игра игры игровой гра гри ігровий oyun játék joc jocului permainan trò_chơi ゲーム 게임 游戏 遊戲 เกม',
  alias: 'alias',
  type: 'type typ tipo tip tür típus тип タイプ 类型 類型 edition édition edición edição edizione',
  name: 'name nom nombre nome naam namn nazwa nazev název nev név nume nama tên 名前 名称 名稱 이름 ชื่อ имя название назва ad adı isim title titel titre título titolo tytuł titul judul tiêu_đề タイトル 제목 标题 標題 заголовок başlık label',
  /** Next to "port", these words mean the game port. */
  join: 'join',
  player: 'player players client clients',
  /** Other words for people, their connections, and the related events. */
  person:
    'user users username nickname nick peer peers visitor visitors member members session sessions joined joining connected disconnected disconnecting kicked banned ban bans dropped logged login logins seen incoming voted vote votes voter voters spieler spielern benutzer nutzer benutzername besucher mitglied joueur joueurs utilisateur utilisateurs pseudo jugador jugadores usuario usuarios jogador jogadores usuário usuários utilizador giocatore giocatori utente utenti speler spelers gebruiker gebruikers gracz gracze graczy użytkownik użytkownicy hráč hráči hráčů uživatel uživatelé игрок игроки игроков пользователь пользователи клиент клиенты гравець гравці гравців користувач користувачі клієнт oyuncu oyuncular kullanıcı kullanıcılar játékos játékosok felhasználó jucător jucători utilizator utilizatori pemain pengguna người プレイヤー ユーザー ユーザ 플레이어 사용자 유저 玩家 用户 用戶 使用者 ผู้เล่น ผู้ใช้ spelare användare spiller klient',
  otherProperty:
    'id line reason display uri password passwort map maps mode modes world description desc note notes comment comments info location region country city language version status state tag tags url link links rank rating owner contact ping latency uptime mod mods modpack modded seed rates wipe pvp pve whitelist season cluster provider hoster platform slots slot max maximum count limit capacity online current total karte carte mapa mappa harita карта 地图 地圖 マップ 맵 แผนที่ beschreibung descripción descrição descrizione omschrijving opis popis описание опис açıklama leírás descriere deskripsi 説明 설명 描述 bemerkung bemerkungen hinweis kommentar anmerkung notiz nota notas standort emplacement ubicación localização posizione locatie lokalizacja umístění land pays país paese kraj země страна країна ülke ország țară negara modus modo tryb režim режим stav stan статус durum állapot stare versión versão versione wersja verze версия версія sürüm verzió versiune versi plätze места miejsca lugares posti',
  unit: 'udp tcp ip4 nr no number nummer numéro número numero numer номер 番号 번호 public external extern main primary default full remote and of the de del du do da di der des für för for na',
  other:
    'rcon sftp ftp ftps ssh telnet smtp mysql mariadb postgres postgresql redis mongo mongodb sql db database databases datenbank datenbanken базы база 数据库 資料庫 データベース web website webserver webinterface webadmin http https panel dashboard admin voice voip teamspeak ts ts2 ts3 mumble ventrilo discord votifier dynmap bluemap sourcetv gotv hltv stv сайт голос 语音 語音 ボイス 음성 sprachserver webseite websocket battleye proxy prometheus metrics grafana master licence license lizenz hostsystem hostsystems node nodes machine',
} as const;

type Meaning = keyof typeof WORDS;

const fold = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ı/gu, 'i')
    .replace(/ł/gu, 'l')
    .replace(/đ/gu, 'd');

const splitWords = (text: string): readonly string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/**
 * Splits a name into words. Camel case is split, so that "gamePort" becomes two words, but "TeamSpeak" is one. The "session
 * name" of a game server is just its name.
 */
const wordsOf = (name: string): readonly string[] =>
  splitWords(name.normalize('NFKC').replace(/session[\s_-]?name/giu, 'name')).flatMap((word) => {
    const whole = fold(word);
    return MEANINGS.has(whole) ? whole : splitWords(fold(word.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')));
  });

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(WORDS).flatMap(([meaning, words]) =>
    words
      .split(' ')
      .flatMap((word) => [fold(word).replaceAll('_', ''), ...fold(word).split('_')])
      .map((word) => [word, meaning as Meaning] as const),
  ),
);
const LONGEST_WORD = Math.max(...[...MEANINGS.keys()].map(({ length }) => length));
/** Anything longer is a sentence and isn't looked up. */
const MAX_NAME_LENGTH = 60;
/** For compound words. "serveripport" has three parts. */
const MAX_PARTS = 4;

/** Returns the meanings of the words in a compound such as "Abfrageport", or undefined if any part is unknown. */
function meaningsOf(word: string, parts = MAX_PARTS): readonly Meaning[] | undefined {
  if (word === '') return [];
  if (parts === 0) return undefined;
  for (let length = Math.min(word.length, LONGEST_WORD); length > 0; length--) {
    const first = MEANINGS.get(word.slice(0, length));
    const rest = first && meaningsOf(word.slice(length), parts - 1);
    if (rest) return [first, ...rest];
  }
  return undefined;
}

/** Caches lookups, because every row of a document has the same names. */
const remembered = createBoundedMap<FieldName | 'none'>(500);

/** Finds the field that a name such as "Port (UDP)" or "Abfrageport" refers to, in any of the bot's languages. */
export function fieldCalled(name: string): FieldName | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  let known = remembered.get(name);
  if (known === undefined) {
    known = fieldOf(name) ?? 'none';
    remembered.set(name, known);
  }
  return known === 'none' ? undefined : known;
}

function fieldOf(name: string): FieldName | undefined {
  const words = wordsOf(name);
  const meanings = words.map((word) => meaningsOf(word));
  const known = new Set(meanings.flatMap((some) => some ?? []));
  const hasAny = (...some: readonly Meaning[]) => some.some((each) => known.has(each));
  if (hasAny('other')) return { field: 'other', rank: 0 };
  if (meanings.includes(undefined) || hasAny('person', 'otherProperty')) {
    // If a name contains an unknown word, it can only refer to a port of unclear purpose.
    return hasAny('port') ? { field: 'unclearPort', rank: 0 } : undefined;
  }
  // An address for queries contains the query port, not the port that players use.
  if (hasAny('query')) {
    if (!hasAny('name', 'type')) return { field: 'queryPort', rank: hasAny('port') ? 0 : 1 };
  }
  if (hasAny('port') && !hasAny('name', 'type')) return { field: fieldOfPort(hasAny), rank: 0 };
  if (hasAny('name') && hasAny('game')) return { field: 'game', rank: 1 };
  if (hasAny('name')) return hasAny('host') ? { field: 'server', rank: 3 } : { field: 'name', rank: 0 };
  if (hasAny('type')) return { field: 'type', rank: hasAny('game') ? 0 : 1 };
  if (hasAny('address')) return { field: 'server', rank: 0 };
  if (hasAny('ip')) return { field: 'server', rank: 1 };
  if (hasAny('host')) return { field: 'server', rank: 2 };
  if (hasAny('server')) return { field: 'server', rank: 3 };
  if (hasAny('game')) return { field: 'game', rank: 0 };
  return hasAny('alias') ? { field: 'game', rank: 2 } : undefined;
}

function fieldOfPort(hasAny: (...some: readonly Meaning[]) => boolean): Field {
  // A column named "IP:Port" holds whole addresses.
  if (hasAny('address', 'ip')) return 'server';
  if (hasAny('queryOfPort')) return 'queryPort';
  return hasAny('game', 'join', 'player') ? 'gamePort' : 'port';
}

/**
 * Returns the meaning of a name without a {@link Field}: a person or a connection, or something else that lists of servers
 * often have, such as the map.
 */
export function describedBy(name: string): 'person' | 'otherProperty' | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const meanings = wordsOf(name).map((word) => meaningsOf(word));
  const hasAny = (...some: readonly Meaning[]) =>
    meanings.some((each) => each?.some((one) => some.includes(one)));
  // "max players" and "player count" are numbers.
  if (hasAny('person', 'player') && !hasAny('otherProperty', 'port')) return 'person';
  return meanings.length > 0 && !meanings.includes(undefined) ? 'otherProperty' : undefined;
}

/** Whether a text speaks of people or their connections, as in "Kestrel joined". */
export const speaksOfPeople = (text: string): boolean =>
  wordsOf(text).some((word) => PEOPLE.has(MEANINGS.get(word) ?? 'otherProperty'));

const PEOPLE: ReadonlySet<Meaning> = new Set<Meaning>(['person', 'player']);

/** Whether a name consists only of words such as "TeamSpeak 3 server", which describe something else than a game server. */
export function isNameOfOther(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH || fieldCalled(name)?.field !== 'other') return false;
  return wordsOf(name).every((word) => /^\d+$/u.test(word) || meaningsOf(word) !== undefined);
}
