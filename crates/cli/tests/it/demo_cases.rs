//! How each demo tool is called, and what it must say. `workspace://` is the folder of the files.

pub(crate) struct Case {
    pub(crate) tool: &'static str,
    /// Files of the workspace with their texts.
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) good: &'static str,
    /// JSON pointers into the structured result, with the JSON that stands there.
    pub(crate) expect: &'static [(&'static str, &'static str)],
    pub(crate) bad: &'static str,
    /// A part of the complaint about the bad arguments.
    pub(crate) complaint: &'static str,
}

const SEQUENCE: &[(&str, &str)] = &[
    ("shot.0001.exr", ""),
    ("shot.0002.exr", ""),
    ("shot.0005.exr", ""),
];

const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nf 1 2 3\nf 1 4 2\n";

const TEXTURES: &[(&str, &str)] = &[
    ("tex/hero_basecolor_v001.1001.exr", "x"),
    ("tex/hero_basecolor_v001.1002.exr", "x"),
    ("tex/hero_roughness_v001.1001.exr", "x"),
    ("tex/hero_roughness_v002.1001.tif", "x"),
    ("tex/Hero-Normal.exr", "x"),
    ("tex/hero_mask_v001.0999.exr", "x"),
    ("tex/notes.txt", "x"),
];

const LOG: &str = "rendering frame 1001\n\
    [warning] texture '/a/b.tx' is missing\n\
    [warning] texture '/a/c.tx' is missing\n\
    frame 1001 done in 12.5s\n\
    rendering frame 1002\n\
    peak memory: 3.5 GB\n\
    frame 1002 done in 1:02.5\n\
    rendering frame 1003\n\
    ERROR: license server 10 does not answer\n";

const DELIVERY: &[(&str, &str)] = &[("geo/hero.obj", "v 0 0 0\n"), ("notes.md", "ready\n")];

const UNTIDY: &[(&str, &str)] = &[
    ("hero.ma", "x"),
    ("hero.ma.bak", "x"),
    ("Thumbs.db", "x"),
    ("empty.abc", ""),
];

pub(crate) const CASES: &[Case] = &[
    Case {
        tool: "colour_swatches__swatch_sheet",
        files: &[],
        good: r##"{"colours": ["#ff8800", "#f80", [0.0, 1.0, 2.0]], "columns": 2, "size": 10}"##,
        expect: &[
            ("/width", "20"),
            ("/height", "20"),
            ("/colours/1/hex", "\"#ff8800\""),
            ("/colours/2/hex", "\"#00ffff\""),
        ],
        bad: r#"{"colours": ["orange"]}"#,
        complaint: "is no colour",
    },
    Case {
        tool: "colour_swatches__colour_ramp",
        files: &[],
        good: r##"{"start": "#000", "end": "#fff", "steps": 3}"##,
        expect: &[("/width", "144"), ("/colours/1/hex", "\"#bcbcbc\"")],
        bad: r##"{"start": "#000", "end": "#fff", "steps": 1}"##,
        complaint: "steps",
    },
    Case {
        tool: "frame_ranges__expand_range",
        files: &[],
        good: r#"{"range": "-2--1, 1001-1005x2, 1003"}"#,
        expect: &[("/frames", "[-2, -1, 1001, 1003, 1005]")],
        bad: r#"{"range": "1-100000000"}"#,
        complaint: "more than 200000 frames",
    },
    Case {
        tool: "frame_ranges__compact_frames",
        files: &[],
        good: r#"{"frames": [5, 1, 2, 3, 3, 9, 11, 13, 20]}"#,
        expect: &[("/range", "\"1-3,5,9-13x2,20\""), ("/frames", "8")],
        bad: r#"{"frames": []}"#,
        complaint: "frames",
    },
    Case {
        tool: "frame_ranges__farm_chunks",
        files: &[],
        good: r#"{"range": "1001-1010", "size": 4}"#,
        expect: &[
            ("/chunks/0/range", "\"1001-1004\""),
            ("/chunks/2/range", "\"1009,1010\""),
        ],
        bad: r#"{"range": "10-1", "size": 4}"#,
        complaint: "runs backwards; write 1-10",
    },
    Case {
        tool: "image_sequence__find_gaps",
        files: SEQUENCE,
        good: r#"{"folder": "workspace://."}"#,
        expect: &[
            ("/sequences/0/pattern", "\"shot.####.exr\""),
            ("/sequences/0/missing", "\"3-4\""),
        ],
        bad: r#"{"folder": "workspace://nowhere"}"#,
        complaint: "no such folder",
    },
    Case {
        tool: "image_sequence__renumber",
        files: SEQUENCE,
        good: r#"{"folder": "workspace://.", "pattern": "shot.####.exr", "start": 1001}"#,
        expect: &[("/dry_run", "true"), ("/renames/2/to", "\"shot.1005.exr\"")],
        bad: r#"{"folder": "workspace://.", "pattern": "other.####.exr", "start": 1}"#,
        complaint: "the folder has: shot.####.exr",
    },
    Case {
        tool: "kattomei_kensa__check_names",
        files: &[],
        good: r#"{"names": ["sq010_sh0020_comp_v003.nk", "SQ10-sh20 comp_v3.NK", "hero"]}"#,
        expect: &[
            ("/clean", "false"),
            ("/wrong/0/suggestion", "\"sq010_sh0020_comp_v003.nk\""),
            ("/wrong/1/name", "\"hero\""),
        ],
        bad: r#"{"names": "sq010_sh0020_comp_v003", "all": true}"#,
        complaint: "all",
    },
    Case {
        tool: "kattomei_kensa__next_version",
        files: &[],
        good: r#"{"name": "sq010_sh0020_comp_v003", "existing": ["sq010_sh0020_comp_v007.nk", "sq010_sh0030_comp_v009"]}"#,
        expect: &[("/name", "\"sq010_sh0020_comp_v008\"")],
        bad: r#"{"name": "shot20"}"#,
        complaint: "規則に合わない",
    },
    Case {
        tool: "obj_wangge__create_sphere",
        files: &[],
        good: r#"{"file": "workspace://ball.obj", "radius": 2}"#,
        expect: &[("/vertices", "114"), ("/faces", "128")],
        bad: r#"{"file": "workspace://ball.obj", "radius": 0}"#,
        complaint: "radius",
    },
    Case {
        tool: "obj_wangge__check_mesh",
        files: &[("mesh.obj", MESH), ("broken.obj", "v 0 0\nv a b c\n")],
        good: r#"{"file": "workspace://mesh.obj"}"#,
        expect: &[
            ("/clean", "false"),
            ("/duplicates", "[[1, 4]]"),
            ("/degenerate_faces", "[2]"),
        ],
        bad: r#"{"file": "workspace://broken.obj"}"#,
        complaint: "第 2 行读不懂",
    },
    Case {
        tool: "project_report__disk_usage",
        files: &[("sub/a.txt", "x")],
        good: r#"{"folder": "workspace://."}"#,
        expect: &[("/folders/0/path", "\"sub\"")],
        bad: r#"{"folder": "workspace://nowhere"}"#,
        complaint: "no such folder",
    },
    Case {
        tool: "project_report__newest_files",
        files: &[("sub/a.txt", "x"), ("b.ma", "xy")],
        good: r#"{"folder": "workspace://.", "extension": "ma"}"#,
        expect: &[("/files/0/path", "\"b.ma\""), ("/files/0/bytes", "2")],
        bad: r#"{"folder": "workspace://.", "limit": 0}"#,
        complaint: "limit",
    },
    Case {
        tool: "publish_check__check_folder",
        files: UNTIDY,
        good: r#"{"folder": "workspace://."}"#,
        expect: &[
            ("/ready", "false"),
            ("/files", "4"),
            ("/findings/0/rule", "\"temporary\""),
            ("/findings/1/rule", "\"empty\""),
            ("/findings/2/rule", "\"backup\""),
        ],
        bad: r#"{"folder": "workspace://nowhere"}"#,
        complaint: "no such folder",
    },
    Case {
        tool: "publish_check__clean_backups",
        files: UNTIDY,
        good: r#"{"folder": "workspace://.", "dry_run": false}"#,
        expect: &[("/dry_run", "false"), ("/files", "[\"hero.ma.bak\"]")],
        bad: r#"{"folder": "workspace://.", "dry_run": "perhaps"}"#,
        complaint: "dry_run",
    },
    Case {
        tool: "publish_check__write_manifest",
        files: DELIVERY,
        good: r#"{"folder": "workspace://."}"#,
        expect: &[("/files", "2"), ("/bytes", "14")],
        bad: r#"{"folder": "workspace://geo/hero.obj"}"#,
        complaint: "no such folder",
    },
    Case {
        tool: "render_log__summarise_log",
        files: &[("render.log", LOG)],
        good: r#"{"file": "workspace://render.log"}"#,
        expect: &[
            ("/lines", "9"),
            ("/errors/count", "1"),
            ("/errors/kinds/0/first_line", "9"),
            ("/warnings/kinds/0/times", "2"),
            ("/frames/done", "2"),
            ("/frames/started_only", "[1003]"),
            ("/frames/slowest/0", r#"{"frame": 1002, "seconds": 62.5}"#),
            ("/peak_memory_mib", "3584.0"),
        ],
        bad: r#"{"file": "workspace://other.log"}"#,
        complaint: "no such log",
    },
    Case {
        tool: "texture_check__check_textures",
        files: TEXTURES,
        good: r#"{"folder": "workspace://tex"}"#,
        expect: &[
            ("/files", "6"),
            ("/findings/0/rule", "\"name\""),
            ("/findings/1/rule", "\"tile\""),
            (
                "/findings/2",
                r#"{"rule": "missing-tile", "where": "hero_roughness", "message": "tiles that other maps have are missing: 1002"}"#,
            ),
            ("/findings/3/rule", "\"mixed-extensions\""),
            ("/findings/4/message", "\"v001 and v002\""),
        ],
        bad: r#"{"folder": "workspace://nowhere"}"#,
        complaint: "no such folder",
    },
    Case {
        tool: "texture_check__list_udim_sets",
        files: TEXTURES,
        good: r#"{"folder": "workspace://tex"}"#,
        expect: &[(
            "/maps/0",
            r#"{"map": "hero_basecolor_v001", "tiles": [1001, 1002]}"#,
        )],
        bad: "{}",
        complaint: "folder",
    },
    Case {
        tool: "timecode__timecode_to_frames",
        files: &[],
        good: r#"{"timecode": "01:00:10:05", "fps": 25, "start": "01:00:00:00"}"#,
        expect: &[("/frame", "255")],
        bad: r#"{"timecode": "00:01:00;00", "fps": 29.97}"#,
        complaint: "drop frame leaves out",
    },
    Case {
        tool: "timecode__frames_to_timecode",
        files: &[],
        good: r#"{"frame": 107892, "fps": 29.97, "drop_frame": true}"#,
        expect: &[("/timecode", "\"01:00:00;00\"")],
        bad: r#"{"frame": 10, "fps": 12}"#,
        complaint: "fps 12 is not known",
    },
];
