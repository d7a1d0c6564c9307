--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: drafts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.drafts (
    id text NOT NULL,
    guild_id text NOT NULL,
    user_id text NOT NULL,
    user_name text NOT NULL,
    source text NOT NULL,
    lines text,
    changed_at bigint NOT NULL
);


--
-- Name: guild_departures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.guild_departures (
    guild_id text NOT NULL,
    unused_since bigint NOT NULL
);


--
-- Name: interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.interactions (
    id text NOT NULL,
    guild_id text NOT NULL,
    process_id text NOT NULL,
    taken_at bigint NOT NULL,
    encrypted text,
    message_key text
);


--
-- Name: jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.jobs (
    name text NOT NULL,
    process_id text NOT NULL,
    until bigint NOT NULL
);


--
-- Name: keyv; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.keyv (
    key character varying(255) NOT NULL COLLATE pg_catalog."C",
    value text,
    namespace character varying(255) DEFAULT ''::character varying NOT NULL,
    expires bigint
);


--
-- Name: kysely_migration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);


--
-- Name: kysely_migration_lock; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);


--
-- Name: leases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leases (
    process_id text NOT NULL,
    until bigint NOT NULL,
    encryption_key_id text NOT NULL
);


--
-- Name: servers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.servers (
    submission_id text NOT NULL,
    "position" integer NOT NULL,
    guild_id text NOT NULL,
    user_id text,
    line integer NOT NULL,
    host text NOT NULL,
    port integer NOT NULL,
    query_port integer,
    game text NOT NULL,
    address text NOT NULL,
    reserved_at bigint,
    is_forgotten integer DEFAULT 0 NOT NULL,
    sent_at bigint,
    ended_at bigint,
    outcome text,
    message text,
    reason text
);


--
-- Name: submissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.submissions (
    id text NOT NULL,
    draft_id text NOT NULL,
    guild_id text NOT NULL,
    user_id text,
    user_name text,
    state text NOT NULL,
    interaction_id text,
    process_id text,
    created_at bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    expires_at bigint,
    decided_by text,
    decision_id text,
    corrected_by text,
    decline_reason text,
    decline_reason_key text,
    channel_id text,
    message_id text,
    revision integer DEFAULT 0 NOT NULL,
    shown_revision integer DEFAULT 0 NOT NULL,
    notice text,
    notified_at bigint,
    decided_by_name text,
    corrected_by_name text
);


--
-- Name: used; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.used (
    guild_id text NOT NULL,
    count integer NOT NULL,
    until bigint NOT NULL
);


--
-- Data for Name: drafts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.drafts VALUES ('1576199208472412160', '1323802873036800000', '1323802873036800012', 'member', 'options', NULL, 1795865575693);
INSERT INTO public.drafts VALUES ('1576199238864338944', '1323802873036800000', '1323802873036800012', 'member', 'options', '{"rows":[{"kind":"ready","line":1,"typed":{"server":"refused.example.com:27015","port":"","queryPort":"","game":"cs2"},"submission":{"server":"refused.example.com","port":27015,"game":"cs2"}}],"includesAlreadySubmitted":false}', 1795865575954);
INSERT INTO public.drafts VALUES ('1576199239053082624', '1323802873036800000', '1323802873036800012', 'member', 'options', '{"rows":[{"kind":"ready","line":1,"typed":{"server":"waits.example.com:27015","port":"","queryPort":"","game":"cs2"},"submission":{"server":"waits.example.com","port":27015,"game":"cs2"}}],"includesAlreadySubmitted":false}', 1795865575975);
INSERT INTO public.drafts VALUES ('1576199251728269312', '1323802873036800000', '1323802873036800012', 'member', 'text', '{"rows":[{"kind":"ready","line":1,"submission":{"server":"s0.example.com","port":27015,"game":"cs2"}},{"kind":"ready","line":2,"submission":{"server":"s1.example.com","port":27015,"game":"cs2"}},{"kind":"ready","line":3,"submission":{"server":"s2.example.com","port":27015,"game":"cs2"}}],"noise":0}', 1795865578988);
INSERT INTO public.drafts VALUES ('1576199256119705600', '1323802873036800000', '1323802873036800011', 'admin', 'options', '{"rows":[{"kind":"ready","line":1,"typed":{"server":"underway.example.com:27015","port":"","queryPort":"","game":"cs2"},"submission":{"server":"underway.example.com","port":27015,"game":"cs2"}}],"includesAlreadySubmitted":false}', 1795865579036);


--
-- Data for Name: guild_departures; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.interactions VALUES ('1576199208212365312', '1323802873040994304', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575604, NULL, '1576199208212365312');
INSERT INTO public.interactions VALUES ('1576199208342388736', '1323802873040994304', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575636, NULL, '1576199208321417216');
INSERT INTO public.interactions VALUES ('1576199208405303296', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575650, NULL, '1576199208405303296');
INSERT INTO public.interactions VALUES ('1576199208472412160', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575667, NULL, '1576199208472412160');
INSERT INTO public.interactions VALUES ('1576199208682127360', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575717, NULL, '1576199208682127360');
INSERT INTO public.interactions VALUES ('1576199208799567872', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575744, NULL, '1576199208728264704');
INSERT INTO public.interactions VALUES ('1576199221692858369', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575819, NULL, '1576199221676081152');
INSERT INTO public.interactions VALUES ('1576199221713829888', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575824, NULL, '1576199221676081152');
INSERT INTO public.interactions VALUES ('1576199251728269312', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865578980, NULL, '1576199251728269312');
INSERT INTO public.interactions VALUES ('1576199208816345088', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575748, NULL, '1576199208728264704');
INSERT INTO public.interactions VALUES ('1576199213123895297', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575776, NULL, '1576199213073563648');
INSERT INTO public.interactions VALUES ('1576199213149061120', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575781, NULL, '1576199213073563648');
INSERT INTO public.interactions VALUES ('1576199217406279680', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575796, NULL, '1576199217385308160');
INSERT INTO public.interactions VALUES ('1576199217423056896', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575801, NULL, '1576199217385308160');
INSERT INTO public.interactions VALUES ('1576199225975242752', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575840, NULL, '1576199225954271232');
INSERT INTO public.interactions VALUES ('1576199225992019968', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575843, NULL, '1576199225954271232');
INSERT INTO public.interactions VALUES ('1576199230245044224', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575857, NULL, '1576199230224072704');
INSERT INTO public.interactions VALUES ('1576199230274404352', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575864, NULL, '1576199230224072704');
INSERT INTO public.interactions VALUES ('1576199234523234304', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575877, NULL, '1576199234502262784');
INSERT INTO public.interactions VALUES ('1576199234544205824', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575882, NULL, '1576199234502262784');
INSERT INTO public.interactions VALUES ('1576199238797230081', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575897, NULL, '1576199238784647168');
INSERT INTO public.interactions VALUES ('1576199238818201600', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575901, NULL, '1576199238784647168');
INSERT INTO public.interactions VALUES ('1576199238864338944', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575912, NULL, '1576199238864338944');
INSERT INTO public.interactions VALUES ('1576199239006945280', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575946, NULL, '1576199239006945280');
INSERT INTO public.interactions VALUES ('1576199239053082624', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575958, NULL, '1576199239053082624');
INSERT INTO public.interactions VALUES ('1576199256019042304', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865579002, NULL, '1576199255989682176');
INSERT INTO public.interactions VALUES ('1576199256044208128', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865579008, NULL, '1576199255989682176');
INSERT INTO public.interactions VALUES ('1576199256119705600', '1323802873036800000', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865579028, '{"v":1,"k":"90545d8ed4de","iv":"6VkkQWgIg33wKAop","data":"RCYTdMwOnjlbfT5NwkMEAqmR0bIpd2HXFSiHue9wRPUVxQ+SPp3BS0ZSdVZEI+mpRWQusYVSZY9TkNRAMhquntzDdDWRGuEBWkktpq/asHe6UAv886BeW8390wEEHySJQEpkEd+d7mj4Q+8KBOeyZ29AFe07qakZRvjE+kDgy+U27VzhjlYcwbzojl2o75OTegOjqkk8EWlQfzFI/wpSSJ6GsNF4nYjlXZeixr/wBAP4Iyn91slHPwHupD1cy+qoGUHEUHdYAqQdedxklKa9oFMMCiaN1mefCKIYaVxIWWhS2wvZjqfyqkv0gWDDk0q19GoUdGC7PoSXeoeRDxYQHkRa+6h1DTHrCqez4jYgHVAu6FusA1epkTf92HeOSR2+vRs7g5GQFor4YaKHh8mWcjiCDHvOfCf2h37bTIk9+tdinmvAMPHHy0gQFENCmrw2ncy6z3Ihw9RHFwIFfewE4v0F26ScbL2niBLdxOGF2l6SHAu4Hw4QF8n3xY4zErVFSvLSTUUgvB52Lct+jeezhsxebr0wPU6Klq3jOV08DtkQHK7pDWGtNmjVfaPSSEpQMN7BWNXmS8aMH/luNj8dL9PnhT60Hr/meCBn1aG0LnHzHAZSL0+YQV6/rFSP6A==","tag":"TFiQXlwVkBc54jmWCseXig=="}', '1576199256119705600');


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.jobs VALUES ('games', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865605565);
INSERT INTO public.jobs VALUES ('publish', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865605581);
INSERT INTO public.jobs VALUES ('approval messages', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865635595);
INSERT INTO public.jobs VALUES ('direct messages', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865635966);
INSERT INTO public.jobs VALUES ('maintenance', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795869176565);


--
-- Data for Name: keyv; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.keyv VALUES ('store:place', '{"value":"16384 16398"}', '', NULL);
INSERT INTO public.keyv VALUES ('health:write-test', '{"value":1795865575542}', '', NULL);
INSERT INTO public.keyv VALUES ('encryption:used-key:90545d8ed4de', '{"value":true}', '', NULL);
INSERT INTO public.keyv VALUES ('published:1576199207545470976', '{"value":"88136791260dd6b4c87b98d56675dae6cac8f7ea25808adcd3d43a6393d238e0"}', '', NULL);
INSERT INTO public.keyv VALUES ('games:list', '{"value":{"fetchedAt":1795865575656,"games":[{"name":"7 Days to Die","alias":"7dtd"},{"name":"ARK: Survival Ascended","alias":"arksa"},{"name":"ARK: Survival Evolved","alias":"ark"},{"name":"Arma 3","alias":"arma3"},{"name":"Arma Reforger","alias":"reforger"},{"name":"Assetto Corsa","alias":"assetto"},{"name":"Barotrauma","alias":"barotrauma"},{"name":"Battlefield 4","alias":"bf4"},{"name":"Call of Duty 4: Modern Warfare","alias":"cod4"},{"name":"Call of Duty®: World at War","alias":"codwaw"},{"name":"Conan Exiles","alias":"conan"},{"name":"Counter-Strike 1.6","alias":"cs16"},{"name":"Counter-Strike 2","alias":"cs2"},{"name":"Counter-Strike: Condition Zero","alias":"cscz"},{"name":"Counter-Strike: Global Offensive","alias":"csgo"},{"name":"Counter-Strike: Source","alias":"css"},{"name":"DayZ","alias":"dayz"},{"name":"Day of Defeat: Source","alias":"dods"},{"name":"Don’t Starve Together","alias":"dst"},{"name":"Eco","alias":"eco"},{"name":"Enshrouded","alias":"enshrouded"},{"name":"Factorio","alias":"factorio"},{"name":"FiveM","alias":"fivem"},{"name":"Garry''s Mod","alias":"gm"},{"name":"Half-Life 2: Deathmatch","alias":"hl2dm"},{"name":"Hell Let Loose","alias":"hll"},{"name":"Insurgency: Sandstorm","alias":"sandstorm"},{"name":"Killing Floor 2","alias":"kf2"},{"name":"Left 4 Dead","alias":"l4d"},{"name":"Left 4 Dead 2","alias":"l4d2"},{"name":"Minecraft","alias":"minecraft"},{"name":"Minecraft: Bedrock Edition","alias":"bedrock"},{"name":"Minecraft: Pokémon (Cobblemon)","alias":"cobblemon"},{"name":"MORDHAU","alias":"mordhau"},{"name":"Mount & Blade II: Bannerlord","alias":"bannerlord"},{"name":"Palworld","alias":"palworld"},{"name":"Project Zomboid","alias":"zomboid"},{"name":"Quake III Arena","alias":"q3a"},{"name":"Rust","alias":"rust"},{"name":"S.T.A.L.K.E.R.: Call of Pripyat","alias":"stalkercop"},{"name":"San Andreas Multiplayer","alias":"samp"},{"name":"Satisfactory","alias":"satisfactory"},{"name":"Sons of the Forest","alias":"sotf"},{"name":"Squad","alias":"squad"},{"name":"Team Fortress 2","alias":"tf2"},{"name":"Terraria","alias":"terraria"},{"name":"Tom Clancy’s Rainbow Six 3: Raven Shield","alias":"ravenshield"},{"name":"TrackMania² Stadium","alias":"tm2stadium"},{"name":"Unreal Tournament 2004","alias":"ut2004"},{"name":"Unturned","alias":"unturned"},{"name":"V Rising","alias":"vrising"},{"name":"Valheim","alias":"valheim"}],"isShort":false}}', '', NULL);
INSERT INTO public.keyv VALUES ('api-key:1323802873036800000', '{"value":{"sealed":{"v":1,"k":"90545d8ed4de","iv":"B4BQugypcYlB4bS9","data":"uD15JY1rPRXdR7Y=","tag":"JmGIG9wUhckPt3s8gJ5Qpg=="},"lastFour":"","setBy":"1323802873036800011","setAt":"2026-11-28T11:32:55.659Z","workedAt":"2026-11-28T11:32:55.694Z","answer":{"at":"2026-11-28T11:32:55.694Z","message":"Servers have been added for review."}}}', '', NULL);
INSERT INTO public.keyv VALUES ('settings:1323802873036800000', '{"value":{"locale":"en-US","logChannelId":"1323802873036800003","mayMentionRoles":false,"notifyRoleId":"1323802873036800007","approval":true,"approvalRoleId":"1323802873036800008","mayMentionApprovalRole":false,"trustedRoleId":"1323802873036800007","announce":true,"games":["cs2","factorio"],"dailyQuota":42,"language":"de"}}', '', NULL);
INSERT INTO public.keyv VALUES ('panels:1323802873036800000', '{"value":{"panels":[{"channelId":"1323802873036800001","messageId":"1576199208703098880","text":"Welcome","buttons":["server","list","mine"],"revision":1,"shownRevision":1}]}}', '', NULL);


--
-- Data for Name: kysely_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kysely_migration VALUES ('3.00-tables', '2026-11-28T11:32:55.515Z');
INSERT INTO public.kysely_migration VALUES ('3.01-one-vocabulary', '2026-11-28T11:32:55.531Z');


--
-- Data for Name: kysely_migration_lock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leases VALUES ('de01fa0f-6b73-4b71-920f-68881505ba96', 1795865595557, '90545d8ed4de');


--
-- Data for Name: servers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.servers VALUES ('409fed9c-2d94-4b29-9eb9-3c4006805254', 0, '1323802873036800000', '1323802873036800012', 1, 'kept.example.com', 27015, NULL, 'cs2', 'kept.example.com:27015', 1795865575680, 0, 1795865575685, 1795865575689, 'accepted', 'Servers have been added for review.', NULL);
INSERT INTO public.servers VALUES ('c5fd9ef1-b9bb-42d1-a661-a409a3ca7632', 0, '1323802873036800000', '1323802873036800012', 1, 'refused.example.com', 27015, NULL, 'cs2', 'refused.example.com:27015', NULL, 0, NULL, 1795865575954, 'not-sent', NULL, 'declined');
INSERT INTO public.servers VALUES ('71b90aaa-974b-4533-8a86-e8bdbe3d3b8b', 0, '1323802873036800000', '1323802873036800012', 1, 'waits.example.com', 27015, NULL, 'cs2', 'waits.example.com:27015', NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.servers VALUES ('2cf486c3-0646-4a0d-828d-a7f51b0ac9b9', 0, '1323802873036800000', '1323802873036800011', 1, 'underway.example.com', 27015, NULL, 'cs2', 'underway.example.com:27015', 1795865579036, 0, 1795865579041, NULL, NULL, NULL, NULL);


--
-- Data for Name: submissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.submissions VALUES ('409fed9c-2d94-4b29-9eb9-3c4006805254', '1576199208472412160', '1323802873036800000', '1323802873036800012', 'member', 'done', '1576199208472412160', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575680, 1795865575680, 1795865575690, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.submissions VALUES ('2cf486c3-0646-4a0d-828d-a7f51b0ac9b9', '1576199256119705600', '1323802873036800000', '1323802873036800011', 'admin', 'running', '1576199256119705600', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865579036, 1795865579036, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.submissions VALUES ('c5fd9ef1-b9bb-42d1-a661-a409a3ca7632', '1576199238864338944', '1323802873036800000', '1323802873036800012', 'member', 'declined', '1576199238864338944', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575925, NULL, 1795865575953, 1796470375925, '1323802873036800011', '1576199239006945280', NULL, 'Not one of ours', NULL, '1323802873036800003', '1576199238948225024', 2, 2, NULL, 1795865575960, 'admin', NULL);
INSERT INTO public.submissions VALUES ('71b90aaa-974b-4533-8a86-e8bdbe3d3b8b', '1576199239053082624', '1323802873036800000', '1323802873036800012', 'member', 'waiting', '1576199239053082624', 'de01fa0f-6b73-4b71-920f-68881505ba96', 1795865575978, NULL, NULL, 1796470375977, NULL, NULL, NULL, NULL, NULL, '1323802873036800003', '1576199251661160448', 1, 1, '{"v":1,"k":"90545d8ed4de","iv":"L713ZkzELe4uLgfo","data":"ToTUp1MXbUTWaM6uNG1NCRW/mrliBbQnmT+9IxGs7e4xllgHsb1t+AFgIlkDhcjjy8g8IILUOmoYA2rftLS0OnhEE6yAk2n+UY5OzLbdliDakv0PPHMN/eK3/zTwHHo3jAbjPwYCw5hxwJwBLPK4rPntywFS5bM89epIJcXJ6WrQDGKl3VnfxTktWdu1NPvEcu3JGWAU6HHq2nKOATevWTAN3ZIGsF1+YZpCnmaF0C2c+KmNc5qsGfn53cK0d5zBw5My9RtVleNBy/1BR/UojVAPj80vFuoc22aTRCnfiztmc5frFFShPyHs1BHf8EIDmHaDsxbdCrhMBO28rDmxflPgeK6F+QibZhSWeij0HS+YJyo0XuWH1TufPmYEzgHFfEsmZKrdRwnVjAuNBj1ClM2N00Myo/s0hPPxzdFNNHhyc632tMTYdTwiYPZ41JC4V6pBkKMXFzAtLWhrt3UO94t3EA3B62R7qs0/IbQAPRSIQaGJg6rs8gp6jGjgP1RyJa7EfpqZ/FY9xsWDe2NHfTLhS+nsJrsvh8GfzJjKUocI1o7VayKwj98Y4iqCwxsdNN+co97+2yR+xOhbU0z210iX/6oCG9LiA6uSNJuDYUXDV6wbXY3lMQ2JFjk+skHt","tag":"XRnu/6n1gk+QQTmMdAu+9w=="}', NULL, NULL, NULL);


--
-- Data for Name: used; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: drafts drafts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_pkey PRIMARY KEY (id);


--
-- Name: guild_departures guild_departures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.guild_departures
    ADD CONSTRAINT guild_departures_pkey PRIMARY KEY (guild_id);


--
-- Name: interactions interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.interactions
    ADD CONSTRAINT interactions_pkey PRIMARY KEY (id);


--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (name);


--
-- Name: keyv keyv_key_namespace_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keyv
    ADD CONSTRAINT keyv_key_namespace_key UNIQUE (key, namespace);


--
-- Name: kysely_migration_lock kysely_migration_lock_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);


--
-- Name: kysely_migration kysely_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);


--
-- Name: leases leases_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (process_id);


--
-- Name: servers servers_pk; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.servers
    ADD CONSTRAINT servers_pk PRIMARY KEY (submission_id, "position");


--
-- Name: submissions submissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_pkey PRIMARY KEY (id);


--
-- Name: used used_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.used
    ADD CONSTRAINT used_pkey PRIMARY KEY (guild_id);


--
-- Name: drafts_by_guild; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX drafts_by_guild ON public.drafts USING btree (guild_id, user_id);


--
-- Name: interactions_by_guild; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interactions_by_guild ON public.interactions USING btree (guild_id);


--
-- Name: interactions_by_message; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interactions_by_message ON public.interactions USING btree (message_key, id);


--
-- Name: interactions_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interactions_by_time ON public.interactions USING btree (taken_at);


--
-- Name: interactions_unanswered; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interactions_unanswered ON public.interactions USING btree (process_id) WHERE (encrypted IS NOT NULL);


--
-- Name: servers_by_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_address ON public.servers USING btree (guild_id, address, outcome, reserved_at);


--
-- Name: servers_by_member; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_member ON public.servers USING btree (guild_id, user_id, reserved_at, outcome);


--
-- Name: servers_by_reservation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_reservation ON public.servers USING btree (guild_id, reserved_at);


--
-- Name: servers_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_by_time ON public.servers USING btree (guild_id, ended_at, submission_id, "position");


--
-- Name: servers_forgotten; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX servers_forgotten ON public.servers USING btree (guild_id) WHERE (is_forgotten = 1);


--
-- Name: submissions_active; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX submissions_active ON public.submissions USING btree (draft_id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));


--
-- Name: submissions_by_decision; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_decision ON public.submissions USING btree (decision_id);


--
-- Name: submissions_by_draft; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_draft ON public.submissions USING btree (draft_id, created_at);


--
-- Name: submissions_by_interaction; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_interaction ON public.submissions USING btree (interaction_id);


--
-- Name: submissions_by_member; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_member ON public.submissions USING btree (guild_id, state, user_id);


--
-- Name: submissions_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_state ON public.submissions USING btree (state);


--
-- Name: submissions_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_by_time ON public.submissions USING btree (guild_id, ended_at, id, user_id, state);


--
-- Name: submissions_message_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_message_due ON public.submissions USING btree (draft_id) WHERE (revision > shown_revision);


--
-- Name: submissions_to_notify; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_to_notify ON public.submissions USING btree (ended_at) WHERE (notice IS NOT NULL);


--
-- PostgreSQL database dump complete
--


