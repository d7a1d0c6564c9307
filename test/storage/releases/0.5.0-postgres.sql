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
-- Name: blocks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.blocks (
    id text NOT NULL,
    guild_id text NOT NULL,
    user_id text,
    host text,
    reason text NOT NULL,
    blocked_by text,
    blocked_by_name text,
    blocked_at bigint NOT NULL,
    decision_id text
);


--
-- Name: choices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.choices (
    draft_id text NOT NULL,
    guild_id text NOT NULL,
    user_id text NOT NULL,
    candidates text NOT NULL
);


--
-- Name: direct_message_channels; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.direct_message_channels (
    user_id text NOT NULL,
    channel_id text NOT NULL,
    opened_at bigint NOT NULL
);


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
-- Name: key_trials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.key_trials (
    guild_id text NOT NULL,
    user_id text NOT NULL,
    at bigint NOT NULL
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
    reason text,
    part integer
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
    corrected_by_name text,
    corrected_from text
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
-- Data for Name: blocks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.blocks VALUES ('590893c4-1056-4588-9816-31c1f12d7a4a', '1323802873036800000', NULL, 'blocked.example.com', '', '1323802873036800011', 'admin', 1796030075147, NULL);


--
-- Data for Name: choices; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: direct_message_channels; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.direct_message_channels VALUES ('1323802873036800012', '1576889205106147328', 1796030075683);


--
-- Data for Name: drafts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.drafts VALUES ('1576889165310590976', '1323802873036800000', '1323802873036800012', 'member', 'options', NULL, 1796030074300);
INSERT INTO public.drafts VALUES ('1576889203034161152', '1323802873036800000', '1323802873036800012', 'member', 'options', '{"rows":[{"kind":"ready","line":1,"typed":{"server":"refused.example.com:27015","port":"","queryPort":"","game":"cs2"},"submission":{"server":"refused.example.com","port":27015,"game":"cs2"}}]}', 1796030075502);
INSERT INTO public.drafts VALUES ('1576889204464418816', '1323802873036800000', '1323802873036800012', 'member', 'options', '{"rows":[{"kind":"ready","line":1,"typed":{"server":"waits.example.com:27015","port":"","queryPort":"","game":"cs2"},"submission":{"server":"waits.example.com","port":27015,"game":"cs2"}}]}', 1796030075650);
INSERT INTO public.drafts VALUES ('1576889205559132160', '1323802873036800000', '1323802873036800012', 'member', 'text', '{"rows":[{"kind":"ready","line":1,"submission":{"server":"s0.example.com","port":27015,"game":"cs2"}},{"kind":"ready","line":2,"submission":{"server":"s1.example.com","port":27015,"game":"cs2"}},{"kind":"ready","line":3,"submission":{"server":"s2.example.com","port":27015,"game":"cs2"}}],"hidden":0}', 1796030075826);
INSERT INTO public.drafts VALUES ('1576889210529382400', '1323802873036800000', '1323802873036800011', 'admin', 'options', '{"rows":[{"kind":"ready","line":1,"typed":{"server":"underway.example.com:27015","port":"","queryPort":"","game":"cs2"},"submission":{"server":"underway.example.com","port":27015,"game":"cs2"}}]}', 1796030076000);


--
-- Data for Name: guild_departures; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.interactions VALUES ('1576889164660473856', '1323802873040994304', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074041, NULL, '1576889164660473856');
INSERT INTO public.interactions VALUES ('1576889164996018176', '1323802873040994304', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074120, NULL, '1576889164945686528');
INSERT INTO public.interactions VALUES ('1576889165172178944', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074161, NULL, '1576889165172178944');
INSERT INTO public.interactions VALUES ('1576889165310590976', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074204, NULL, '1576889165310590976');
INSERT INTO public.interactions VALUES ('1576889165969096704', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074352, NULL, '1576889165969096704');
INSERT INTO public.interactions VALUES ('1576889166472413185', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074473, NULL, '1576889166145257472');
INSERT INTO public.interactions VALUES ('1576889171115507712', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074579, NULL, '1576889171052593152');
INSERT INTO public.interactions VALUES ('1576889171170033664', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074591, NULL, '1576889171052593152');
INSERT INTO public.interactions VALUES ('1576889180061958144', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074712, NULL, '1576889179952906240');
INSERT INTO public.interactions VALUES ('1576889204158234624', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075457, NULL, '1576889204158234624');
INSERT INTO public.interactions VALUES ('1576889204464418816', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075545, NULL, '1576889204464418816');
INSERT INTO public.interactions VALUES ('1576889166522744832', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074484, NULL, '1576889166145257472');
INSERT INTO public.interactions VALUES ('1576889175569858560', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074641, NULL, '1576889175506944000');
INSERT INTO public.interactions VALUES ('1576889175641161728', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074659, NULL, '1576889175506944000');
INSERT INTO public.interactions VALUES ('1576889180003237888', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074699, NULL, '1576889179952906240');
INSERT INTO public.interactions VALUES ('1576889184419840000', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074751, NULL, '1576889184369508352');
INSERT INTO public.interactions VALUES ('1576889184470171648', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074763, NULL, '1576889184369508352');
INSERT INTO public.interactions VALUES ('1576889188890968064', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074819, NULL, '1576889188828053504');
INSERT INTO public.interactions VALUES ('1576889188995825664', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074848, NULL, '1576889188828053504');
INSERT INTO public.interactions VALUES ('1576889193592782848', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074938, NULL, '1576889193466953728');
INSERT INTO public.interactions VALUES ('1576889193643114496', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074949, NULL, '1576889193466953728');
INSERT INTO public.interactions VALUES ('1576889198005190656', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074990, NULL, '1576889197963247616');
INSERT INTO public.interactions VALUES ('1576889203034161152', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075202, NULL, '1576889203034161152');
INSERT INTO public.interactions VALUES ('1576889205559132160', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075790, NULL, '1576889205559132160');
INSERT INTO public.interactions VALUES ('1576889198072299520', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075006, NULL, '1576889197963247616');
INSERT INTO public.interactions VALUES ('1576889202644090880', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075096, NULL, '1576889202509873152');
INSERT INTO public.interactions VALUES ('1576889202761531392', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075124, NULL, '1576889202509873152');
INSERT INTO public.interactions VALUES ('1576889210072203264', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075868, NULL, '1576889209950568448');
INSERT INTO public.interactions VALUES ('1576889210156089344', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075890, NULL, '1576889209950568448');
INSERT INTO public.interactions VALUES ('1576889210529382400', '1323802873036800000', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075979, '{"v":1,"k":"90545d8ed4de","iv":"5xr9kY+3acFv3vyP","data":"WGYNr4CpaeyXQOMte7pPNXl5yCc05otZrA7Iap+/dd94EF6C6nL9erJkS6BMEyVMyGzmz+R/Njgl6D6YN5S/ZeG78MgAyTy+oeopOygPyCn31muW6v81iGOx37+b9AybB6Pp4BFk9bJGFizXxtZQS/WHJRt9dJtUoWHEo0IEnNQLvsGnM7XDHOw5D6yRISpESkMBlLxHqc415VFH8IFeXruzhX1OkJX36tNuyi236nvjAWMDHZzhkcTAqhBjqzUnl5QZSFQpZz6NoWdwpFA6ruYyg13vHa1m9IZynU8gU7IQUYdPwUOJmKPrUlB7J1ZJLndh0ymqsDEnIvA/wdXYiVm2esIIbK7XboB08iUr0a7bdh0RjyJZvqk//A759GY9jG7PvdTSrq7uOmSZUF/dQkigkgy2BDPLWAq56RN/cbu3V+zWHs0XOzgMOsMBI+1fBJLR5ifFmosovMyo56py0v6DYlKwXKk60F/x9NQ2nfkwW0S+zUfV5mFGNhqD8UfMdBONw5I3Gwcr1UsxsYgdWOEYrl5nyW0wFcib25CWNHocg7xUhElP1RKwcy07UgN/dH+mVuhBQ8friPPukC9wxsX4mTeNpO7rEjyhYlk5ZtFzJs+CX7GN9yB687vVlA==","tag":"kPVCWtjvEr8LqkadnObZFQ=="}', '1576889210529382400');


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.jobs VALUES ('games', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030103855);
INSERT INTO public.jobs VALUES ('publish', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030103957);
INSERT INTO public.jobs VALUES ('approval messages', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030133968);
INSERT INTO public.jobs VALUES ('maintenance', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796033674796);
INSERT INTO public.jobs VALUES ('direct messages', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030135587);


--
-- Data for Name: key_trials; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.key_trials VALUES ('1323802873040994304', '1323802873040994315', 1796030074074);
INSERT INTO public.key_trials VALUES ('1323802873036800000', '1323802873036800011', 1796030074169);


--
-- Data for Name: keyv; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.keyv VALUES ('store:place', '{"value":"16384 16398"}', '', NULL);
INSERT INTO public.keyv VALUES ('encryption:used-key:90545d8ed4de', '{"value":true}', '', NULL);
INSERT INTO public.keyv VALUES ('published:1576889161883844608', '{"value":"9d418097afc1201243f79485d7fec2717dc9c28991a20cc3b1062ca7745b5ebd"}', '', NULL);
INSERT INTO public.keyv VALUES ('games:list', '{"value":{"fetchedAt":1796030074176,"games":[{"name":"7 Days to Die","alias":"7dtd"},{"name":"ARK: Survival Ascended","alias":"arksa"},{"name":"ARK: Survival Evolved","alias":"ark"},{"name":"Arma 3","alias":"arma3"},{"name":"Arma Reforger","alias":"reforger"},{"name":"Assetto Corsa","alias":"assetto"},{"name":"Barotrauma","alias":"barotrauma"},{"name":"Battlefield 4","alias":"bf4"},{"name":"Call of Duty 4: Modern Warfare","alias":"cod4"},{"name":"Call of Duty®: World at War","alias":"codwaw"},{"name":"Conan Exiles","alias":"conan"},{"name":"Counter-Strike 1.6","alias":"cs16"},{"name":"Counter-Strike 2","alias":"cs2"},{"name":"Counter-Strike: Condition Zero","alias":"cscz"},{"name":"Counter-Strike: Global Offensive","alias":"csgo"},{"name":"Counter-Strike: Source","alias":"css"},{"name":"DayZ","alias":"dayz"},{"name":"Day of Defeat: Source","alias":"dods"},{"name":"Don’t Starve Together","alias":"dst"},{"name":"Eco","alias":"eco"},{"name":"Enshrouded","alias":"enshrouded"},{"name":"Factorio","alias":"factorio"},{"name":"FiveM","alias":"fivem"},{"name":"Garry''s Mod","alias":"gm"},{"name":"Half-Life 2: Deathmatch","alias":"hl2dm"},{"name":"Hell Let Loose","alias":"hll"},{"name":"Insurgency: Sandstorm","alias":"sandstorm"},{"name":"Killing Floor 2","alias":"kf2"},{"name":"Left 4 Dead","alias":"l4d"},{"name":"Left 4 Dead 2","alias":"l4d2"},{"name":"Minecraft","alias":"minecraft"},{"name":"Minecraft: Bedrock Edition","alias":"bedrock"},{"name":"Minecraft: Pokémon (Cobblemon)","alias":"cobblemon"},{"name":"MORDHAU","alias":"mordhau"},{"name":"Mount & Blade II: Bannerlord","alias":"bannerlord"},{"name":"Palworld","alias":"palworld"},{"name":"Project Zomboid","alias":"zomboid"},{"name":"Quake III Arena","alias":"q3a"},{"name":"Rust","alias":"rust"},{"name":"S.T.A.L.K.E.R.: Call of Pripyat","alias":"stalkercop"},{"name":"San Andreas Multiplayer","alias":"samp"},{"name":"Satisfactory","alias":"satisfactory"},{"name":"Sons of the Forest","alias":"sotf"},{"name":"Squad","alias":"squad"},{"name":"Team Fortress 2","alias":"tf2"},{"name":"Terraria","alias":"terraria"},{"name":"Tom Clancy’s Rainbow Six 3: Raven Shield","alias":"ravenshield"},{"name":"TrackMania² Stadium","alias":"tm2stadium"},{"name":"Unreal Tournament 2004","alias":"ut2004"},{"name":"Unturned","alias":"unturned"},{"name":"V Rising","alias":"vrising"},{"name":"Valheim","alias":"valheim"}],"isShort":false}}', '', NULL);
INSERT INTO public.keyv VALUES ('api-key:1323802873036800000', '{"value":{"sealed":{"v":1,"k":"90545d8ed4de","iv":"LrhovUt0MgABPrcX","data":"j9PyYzidgLUuH+E=","tag":"XE96AqqbpQ7G/ky+1mNxiA=="},"lastFour":"","setBy":"1323802873036800011","setByName":"admin","setAt":"2026-11-30T09:14:34.185Z","workedAt":"2026-11-30T09:14:34.302Z","answer":{"at":"2026-11-30T09:14:34.302Z","message":"Servers have been added for review."}}}', '', NULL);
INSERT INTO public.keyv VALUES ('panels:1323802873036800000', '{"value":{"panels":[{"channelId":"1323802873036800001","messageId":"1576889166040399872","text":"Welcome","buttons":["server","list","mine"],"revision":1,"shownRevision":1}]}}', '', NULL);
INSERT INTO public.keyv VALUES ('health:write-test', '{"value":1796030075679}', '', NULL);
INSERT INTO public.keyv VALUES ('settings:1323802873036800000', '{"value":{"locale":"en-US","logChannelId":"1323802873036800003","mayMentionRoles":false,"notifyRoleId":"1323802873036800007","approval":true,"approvalRoleId":"1323802873036800008","mayMentionApprovalRole":false,"trustedRoleId":"1323802873036800007","announce":true,"games":["cs2","factorio"],"dailyQuota":42,"hasBlocks":true,"language":"de"}}', '', NULL);


--
-- Data for Name: kysely_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kysely_migration VALUES ('3.00-tables', '2026-11-30T09:14:33.628Z');
INSERT INTO public.kysely_migration VALUES ('3.01-one-vocabulary', '2026-11-30T09:14:33.675Z');
INSERT INTO public.kysely_migration VALUES ('4.04-key-trials-compatible', '2026-11-30T09:14:33.680Z');
INSERT INTO public.kysely_migration VALUES ('4.06-choices-compatible', '2026-11-30T09:14:33.690Z');
INSERT INTO public.kysely_migration VALUES ('4.07-direct-message-channels-compatible', '2026-11-30T09:14:33.695Z');
INSERT INTO public.kysely_migration VALUES ('4.09-corrected-from-compatible', '2026-11-30T09:14:33.699Z');
INSERT INTO public.kysely_migration VALUES ('4.10-blocks-compatible', '2026-11-30T09:14:33.707Z');


--
-- Data for Name: kysely_migration_lock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leases VALUES ('71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030093774, '90545d8ed4de');


--
-- Data for Name: servers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.servers VALUES ('44319d07-c08b-4d4c-b8a1-7ef9422aa4c4', 0, '1323802873036800000', '1323802873036800012', 1, 'kept.example.com', 27015, NULL, 'cs2', 'kept.example.com:27015', 1796030074272, 0, 1796030074285, 1796030074292, 'accepted', 'Servers have been added for review.', NULL, NULL);
INSERT INTO public.servers VALUES ('245aaa83-9cb3-4440-93f9-140de08b5098', 0, '1323802873036800000', '1323802873036800012', 1, 'refused.example.com', 27015, NULL, 'cs2', 'refused.example.com:27015', NULL, 0, NULL, 1796030075501, 'not-sent', NULL, 'declined', NULL);
INSERT INTO public.servers VALUES ('8a23fbeb-3163-41e6-9bf1-0cc6769cce1e', 0, '1323802873036800000', '1323802873036800012', 1, 'waits.example.com', 27015, NULL, 'cs2', 'waits.example.com:27015', NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.servers VALUES ('0e4b177c-757d-4735-8d9c-ed2a184b5f54', 0, '1323802873036800000', '1323802873036800011', 1, 'underway.example.com', 27015, NULL, 'cs2', 'underway.example.com:27015', 1796030076002, 0, 1796030076018, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: submissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.submissions VALUES ('44319d07-c08b-4d4c-b8a1-7ef9422aa4c4', '1576889165310590976', '1323802873036800000', '1323802873036800012', 'member', 'done', '1576889165310590976', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030074272, 1796030074272, 1796030074293, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.submissions VALUES ('0e4b177c-757d-4735-8d9c-ed2a184b5f54', '1576889210529382400', '1323802873036800000', '1323802873036800011', 'admin', 'running', '1576889210529382400', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030076002, 1796030076002, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.submissions VALUES ('245aaa83-9cb3-4440-93f9-140de08b5098', '1576889203034161152', '1323802873036800000', '1323802873036800012', 'member', 'declined', '1576889203034161152', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075275, NULL, 1796030075499, 1796634875270, '1323802873036800011', '1576889204158234624', NULL, 'Not one of ours', NULL, '1323802873036800003', '1576889203621363712', 2, 2, NULL, 1796030075564, 'admin', NULL, NULL);
INSERT INTO public.submissions VALUES ('8a23fbeb-3163-41e6-9bf1-0cc6769cce1e', '1576889204464418816', '1323802873036800000', '1323802873036800012', 'member', 'waiting', '1576889204464418816', '71a0e0c1-51e6-427a-a62a-6376708eb7e2', 1796030075656, NULL, NULL, 1796634875654, NULL, NULL, NULL, NULL, NULL, '1323802873036800003', '1576889205328445440', 2, 2, '{"v":1,"k":"90545d8ed4de","iv":"luYChNQSbKOMp8c/","data":"oL3FUnXF9ABLuPnD3zVpQTCbTRWgGBobvl23XluzsbU1F4Zx9jUltY18BzuHMAIYXM+mjXlkGoR1VRU/+GuJgi1++p39DacfQ8SSsUtTmW1a90aKkM7NR9WbecHFD8blB25MF25fJmBtuXMNrV0c9VzJEb0qfs1c1/E3gpkoR2PORmzO0t/0rw0wM9efGqzvhoLqtg5vthuvEbDjkXlTzl/X/anJHwYueXrQqF5mjzobuXCNRYS8RFjwmtrbui98Tw/f/+Fa0ookBwAem6GvV9owlO8XjW6pDVHO6h/PDebur6+h7isfVYAI27kBl7w4vUHdf+KIIZ3wo+6yKGULW5i8Yu0s4sMBfDSgk2RB9RZmDHup2u+wO1Hz1NNSmGgQdLF6SzOoOO9ZywCMVIVHYPpdWGZnu2lXF/En08vFGPeZrHMxXs9QBL1swpkM33BQ4C6rt7PYGXRlbDPwXEy7d3Blx8koAu0MTM68YznoonPnMzOl/t1LwVhJaDnATewvSzyXs7odW34l4uPwmAHBsypH0ONKQl9c/4DVnk7kOyFI2GzeHpFocCAuXbIuz9j/kRpQVoeLbTNKAbbbXOSbQSYzCw/PeaGAAAS4q6ihOUnjS0sWVT/p/v2uZnpWhncL","tag":"9H2BZIphmSiqvM/B4msWdg=="}', NULL, NULL, NULL, NULL);


--
-- Data for Name: used; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: blocks blocks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (id);


--
-- Name: choices choices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.choices
    ADD CONSTRAINT choices_pkey PRIMARY KEY (draft_id);


--
-- Name: direct_message_channels direct_message_channels_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.direct_message_channels
    ADD CONSTRAINT direct_message_channels_pkey PRIMARY KEY (user_id);


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
-- Name: blocks_by_guild; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX blocks_by_guild ON public.blocks USING btree (guild_id);


--
-- Name: choices_by_guild; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX choices_by_guild ON public.choices USING btree (guild_id, user_id);


--
-- Name: direct_message_channels_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX direct_message_channels_by_time ON public.direct_message_channels USING btree (opened_at);


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
-- Name: key_trials_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX key_trials_by_time ON public.key_trials USING btree (at);


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


